#pragma once
/// A flow of control with a stack of its own, which continues where it was left, on any thread.

#include <cstddef>
#include <optional>

#include "pipeline/tasking/stack.hpp"

namespace takt::tasking {

/// Either a thread's own stack (`Fiber()`), or a new one. Exactly one thread runs a fiber at a time.
class Fiber {
 public:
  /// Stands for the stack of the thread that leaves it first.
  Fiber();
  /// A fiber that calls `entry(argument)` when it is first switched to; `entry` never returns.
  Fiber(std::size_t stack_bytes, void (*entry)(void*), void* argument);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// What a switch does on the new stack before anything else: the fiber it left may run elsewhere from then
  /// on.
  struct After {
    void (*call)(void*) = nullptr;
    void* argument = nullptr;
  };
  /// Leaves the current fiber, which is `from`, and continues with `to`; returns when something switches
  /// back.
  static void change(Fiber& from, Fiber& to, After after);

  /// Bytes of stack below this address; the largest number on a thread's own stack, whose end is unknown.
  [[nodiscard]] std::size_t room_below(const void* address) const {
    if (!stack_) return static_cast<std::size_t>(-1);
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - stack_->bottom());
  }
  [[nodiscard]] Stack* stack() { return stack_ ? &*stack_ : nullptr; }

 private:
  struct Switch;
  struct Entry;
  static void arrive(void* from_context, Switch* about);

  std::optional<Stack> stack_;
  void* context_ = nullptr;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  // For the sanitizers, which follow stacks.
  void* sanitizer_fiber_ = nullptr;
  void* fake_stack_ = nullptr;
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace takt::tasking
