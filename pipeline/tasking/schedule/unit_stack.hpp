#pragma once
/// The stacks on which units and `static` run, which fault when they are used after the return.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "pipeline/tasking/fiber.hpp"

namespace takt::tasking::schedule {

/// A procedure runs on it to its end.
class UnitStack {
 public:
  explicit UnitStack(std::size_t bytes) : fiber_(bytes, &UnitStack::serve, this) {}

  /// Calls `call(argument)` there and returns afterwards, on the same thread.
  void run(std::int64_t tag, void (*call)(void*), void* argument);

  [[nodiscard]] Stack& memory() { return *fiber_.stack(); }
  [[nodiscard]] std::int64_t owner() const { return owner_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_dead() const { return is_dead_.load(std::memory_order_relaxed); }
  void kill() {
    is_dead_.store(true, std::memory_order_relaxed);
    memory().forbid();
  }

 private:
  static void serve(void* self);

  Fiber fiber_;
  Fiber* caller_ = nullptr;
  void (*call_)(void*) = nullptr;
  void* argument_ = nullptr;
  std::atomic<std::int64_t> owner_{0};
  std::atomic<bool> is_dead_{false};
};

/// One stack for each worker, because a unit runs to its return, and those that are not used again.
class UnitStacks {
 public:
  /// The tag of `static` as the owner of a stack.
  static constexpr std::int64_t static_tag = 0;

  explicit UnitStacks(int workers) : usable_(static_cast<std::size_t>(workers)) {}
  ~UnitStacks();

  /// Runs a procedure on the stack of this worker; `may_be_used_later()` tells afterwards whether variables
  /// of its frame may have been passed on: then the stack is not used again, and every access to it faults.
  template <class MayBeUsedLater>
  void run(int worker, std::int64_t tag, void (*call)(void*), void* argument,
           const MayBeUsedLater& may_be_used_later) {
    UnitStack*& stack = usable_[static_cast<std::size_t>(worker)].stack;
    if (stack == nullptr) stack = &make();
    stack->run(tag, call, argument);
    if (!may_be_used_later()) return;
    stack->kill();
    stack = nullptr;
  }
  /// Frees those that are not used again.
  void free_dead();

  /// Which stack has this address, for signal handlers; nullptr: none.
  static UnitStack* find(const void* address);

 private:
  /// Of one worker, in a cache line of its own.
  struct alignas(64) Usable {
    UnitStack* stack = nullptr;
  };
  UnitStack& make();

  std::vector<Usable> usable_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<UnitStack>> all_;
};

}  // namespace takt::tasking::schedule
