#pragma once
/// Main's variables, arrays and allocations while main is evaluated.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "pipeline/frontend/reading/c_type.hpp"
#include "pipeline/frontend/reading/program.hpp"
#include "pipeline/frontend/reading/source_text.hpp"

namespace takt::frontend {

/// A place in an object, as pointers and lvalues name it.
struct Address {
  std::size_t object = 0;
  std::uint64_t offset = 0;
  /// Type of what is there.
  const CType* type = nullptr;
  /// Bytes of the array whose name became this pointer, or of the whole allocation; empty for other pointers.
  std::optional<std::uint64_t> array_bytes = {};
};

/// A value that depends on data: the place says what made it so.
struct DataValue {
  Place place;
  std::string reason;
};

struct NullPointer {};
/// A string literal, as written.
struct TextValue {
  std::string text;
};
/// The result of a function without one.
struct NoValue {};

using Value = std::variant<NoValue, std::int64_t, double, Address, NullPointer, TextValue, DataValue>;

/// Known values of an object by offset. That at offset 0, the only one of a number, needs no search.
class Cells {
 public:
  /// Returns null for an unknown value.
  [[nodiscard]] const Value* find(std::uint64_t offset) const {
    if (offset == 0) return has_first_ ? &first_ : nullptr;
    const auto found = others_.find(offset);
    return found == others_.end() ? nullptr : &found->second;
  }
  void set(std::uint64_t offset, Value value) {
    if (offset == 0) has_first_ = true;
    (offset == 0 ? first_ : others_[offset]) = std::move(value);
  }
  void clear() {
    has_first_ = false;
    others_.clear();
  }
  /// Forgets the values of these bytes.
  void forget(std::uint64_t begin, std::uint64_t end) {
    if (begin == 0) has_first_ = false;
    std::erase_if(others_, [&](const auto& cell) { return cell.first >= begin && cell.first < end; });
  }
  template <class Predicate>
  [[nodiscard]] bool any(const Predicate& predicate) const {
    if (has_first_ && predicate(first_)) return true;
    return std::ranges::any_of(others_, [&](const auto& cell) { return predicate(cell.second); });
  }

 private:
  Value first_;
  bool has_first_ = false;
  std::unordered_map<std::uint64_t, Value> others_;
};

/// A variable or an allocation.
struct Object {
  std::string name;
  Place place;
  const CType* type = nullptr;
  std::uint64_t bytes = 0;
  bool is_global = false, is_static = false, is_allocation = false;
  /// It has an initialiser, so elements without a value are zero.
  bool is_initialised = false;
  /// The place where main last assigned an element; unknown if it has not.
  Place assigned = {};
  /// The array of the program, once a call has used it.
  std::optional<ArrayId> array = {};
  /// Whether a call has written it, and where.
  bool is_written = false;
  Place written = {};
  /// An allocation's call, as C.
  std::string allocation = {};
  Cells cells = {};
};

class Memory {
 public:
  std::size_t add(Object object);
  [[nodiscard]] Object& object(std::size_t index) { return objects_[index]; }
  [[nodiscard]] const Object& object(std::size_t index) const { return objects_[index]; }
  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  /// Removes the newest objects, down to this number.
  void shrink(std::size_t size) { objects_.resize(size); }

  /// Returns the lvalue at an address as C: `data[3][0]`, `block[2].x`.
  [[nodiscard]] std::string lvalue_text(const Address& address) const;
  /// Returns a pointer as C: `data[3]` for an array, `&data[3][0][1]` for an element, `&a[10]`.
  [[nodiscard]] std::string pointer_text(const Address& address) const;

 private:
  /// Descends from the object to the address; stops at an array of these bytes that begins there.
  [[nodiscard]] std::pair<std::string, bool> path(const Address& address,
                                                  std::optional<std::uint64_t> array_bytes) const;

  std::vector<Object> objects_;
};

}  // namespace takt::frontend
