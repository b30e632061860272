#pragma once
/// Dependencies that follow from what units read and write, in the order in which they are added.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace takt::tasking {

/// Memory that a unit reads or writes.
struct Access {
  const void* address;
  std::size_t bytes;
  bool writes;
};

template <class T>
Access reads(const T& object) {
  return {&object, sizeof(T), false};
}
template <class T>
Access reads(const T* first, std::size_t count) {
  return {first, count * sizeof(T), false};
}
/// Writes, or reads and writes.
template <class T>
Access writes(T& object) {
  return {&object, sizeof(T), true};
}
template <class T>
Access writes(T* first, std::size_t count) {
  return {first, count * sizeof(T), true};
}

/// The last writer of each byte and its readers since.
class AccessMap {
 public:
  /// Notes an access of a unit; appends the units that must come before, perhaps more than once.
  void note(std::uint32_t unit, const Access& access, std::vector<std::uint32_t>& before);

 private:
  struct Piece {
    std::uintptr_t end;
    bool has_writer = false;
    std::uint32_t writer = 0;
    std::vector<std::uint32_t> readers;
  };
  void cut(std::uintptr_t at);

  /// By their first address; they do not overlap.
  std::map<std::uintptr_t, Piece> pieces_;
};

}  // namespace takt::tasking
