#pragma once
/// An optional value for rare presence: an absent one takes the size of a pointer. Copies are copies of the
/// value.

#include <memory>
#include <utility>

namespace takt {

template <class Value>
class Boxed {
 public:
  Boxed() = default;
  Boxed(Value value) : value_(std::make_unique<Value>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<Value>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~Boxed() = default;

  [[nodiscard]] bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  void reset() { value_.reset(); }

  /// Requires a value.
  const Value& operator*() const { return *value_; }
  Value& operator*() { return *value_; }
  const Value* operator->() const { return value_.get(); }
  Value* operator->() { return value_.get(); }

  friend bool operator==(const Boxed& a, const Boxed& b) {
    return a.has_value() == b.has_value() && (!a || *a == *b);
  }

 private:
  std::unique_ptr<Value> value_;
};

}  // namespace takt
