#pragma once
/// Serialisation of an object's state to bytes, for another object of its kind that continues.

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace takt {

/// Appends values of plain data, or vectors of them. Writer and reader belong to one program.
class StateWriter {
 public:
  template <class Value>
  StateWriter& add(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    return append(&value, sizeof(Value));
  }
  template <class Value>
  StateWriter& add(const std::vector<Value>& values) {
    static_assert(std::is_trivially_copyable_v<Value> && !std::is_same_v<Value, bool>);
    add(values.size());
    return append(values.data(), values.size() * sizeof(Value));
  }
  StateWriter& add(std::span<const std::byte> bytes) {
    add(bytes.size());
    return append(bytes.data(), bytes.size());
  }
  StateWriter& add(const std::string& text) {
    add(text.size());
    return append(text.data(), text.size());
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  StateWriter& append(const void* from, std::size_t count) {
    const auto* const first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
    return *this;
  }

  std::vector<std::byte> bytes_;
};

/// Reads values in the order in which they were written. Throws
/// WorkError if the bytes are too few or too many, or the size of a
/// vector differs.
class StateReader {
 public:
  explicit StateReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Value>
  StateReader& get(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    return read(&value, sizeof(Value));
  }
  template <class Value>
  StateReader& get(std::vector<Value>& values) {
    static_assert(std::is_trivially_copyable_v<Value> && !std::is_same_v<Value, bool>);
    std::size_t size = 0;
    get(size);
    if (size != values.size()) refuse();
    return read(values.data(), size * sizeof(Value));
  }
  /// Reads exactly this many bytes.
  StateReader& get(std::span<std::byte> bytes) {
    std::size_t size = 0;
    get(size);
    if (size != bytes.size()) refuse();
    return read(bytes.data(), size);
  }
  /// Reads any number of values, as the text below.
  template <class Value>
  StateReader& get_all(std::vector<Value>& values) {
    static_assert(std::is_trivially_copyable_v<Value> && !std::is_same_v<Value, bool>);
    std::size_t size = 0;
    get(size);
    if (size > bytes_.size() / sizeof(Value)) refuse();
    values.resize(size);
    return read(values.data(), size * sizeof(Value));
  }
  StateReader& get(std::string& text) {
    std::size_t size = 0;
    get(size);
    if (size > bytes_.size()) refuse();
    text.resize(size);
    return read(text.data(), size);
  }
  void end() const {
    if (!bytes_.empty()) refuse();
  }

 private:
  StateReader& read(void* to, std::size_t count) {
    if (count > bytes_.size()) refuse();
    if (count > 0) std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return *this;
  }
  [[noreturn]] static void refuse() {
    throw WorkError("the saved state is not of an object of this kind and configuration");
  }

  std::span<const std::byte> bytes_;
};

/// `return saved(sums_, count_);`
template <class... Values>
[[nodiscard]] std::optional<std::vector<std::byte>> saved(const Values&... values) {
  StateWriter writer;
  (writer.add(values), ...);
  return writer.take();
}

/// `load_into(state, sums_, count_);`, in the same order.
template <class... Values>
void load_into(std::span<const std::byte> state, Values&... values) {
  StateReader reader(state);
  (reader.get(values), ...);
  reader.end();
}

}  // namespace takt
