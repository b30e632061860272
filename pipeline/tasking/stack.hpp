#pragma once
/// Memory for a call stack of its own, whose lowest page faults when the stack overflows.

#include <cstddef>

namespace takt::tasking {

/// A stack in memory that is reserved at once and used page by page.
class Stack {
 public:
  /// Throws std::bad_alloc when the address space or the number of mappings is exhausted.
  explicit Stack(std::size_t bytes);
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack();

  /// The address above the stack, where it begins to grow down.
  [[nodiscard]] std::byte* top() const { return base_ + bytes_; }
  /// The lowest usable address.
  [[nodiscard]] std::byte* bottom() const { return base_ + guard_; }
  [[nodiscard]] std::size_t size() const { return bytes_ - guard_; }
  /// Whether the address lies in the stack or in its guard page.
  [[nodiscard]] bool contains(const void* address) const {
    return address >= base_ && address < base_ + bytes_;
  }
  /// Whether the address lies in the guard page: an overflow.
  [[nodiscard]] bool is_guard(const void* address) const {
    return address >= base_ && address < base_ + guard_;
  }
  /// Gives the memory back and makes every access fault, until `allow`.
  void forbid();
  /// Makes the stack usable again; its contents are lost.
  void allow();

 private:
  std::byte* base_;
  std::size_t bytes_;
  std::size_t guard_;
};

}  // namespace takt::tasking
