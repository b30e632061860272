#include "pipeline/tasking/schedule/unit_stack.hpp"

#include <array>
#include <new>

#include "pipeline/tasking/schedule/fatal.hpp"

namespace takt::tasking::schedule {

namespace {

/// As much as -frecursive may need for local arrays; a page takes memory when it is used.
constexpr std::size_t usual_bytes = std::size_t{64} << 20;
constexpr std::size_t least_bytes = std::size_t{1} << 20;

/// All stacks, for signal handlers. Those beyond are not protected.
std::array<std::atomic<UnitStack*>, 4096> known_stacks;

void announce(UnitStack* stack) {
  for (auto& each : known_stacks) {
    UnitStack* expected = nullptr;
    if (each.compare_exchange_strong(expected, stack)) return;
  }
}

void withdraw(UnitStack* stack) {
  for (auto& each : known_stacks) {
    UnitStack* expected = stack;
    if (each.compare_exchange_strong(expected, nullptr)) return;
  }
}

}  // namespace

void UnitStack::run(std::int64_t tag, void (*call)(void*), void* argument) {
  Fiber caller;
  caller_ = &caller;
  call_ = call;
  argument_ = argument;
  owner_.store(tag, std::memory_order_relaxed);
  Fiber::change(caller, fiber_, {});
}

void UnitStack::serve(void* self) {
  auto& stack = *static_cast<UnitStack*>(self);
  for (;;) {
    stack.call_(stack.argument_);
    Fiber::change(stack.fiber_, *stack.caller_, {});
  }
}

UnitStacks::~UnitStacks() {
  for (const auto& each : all_) withdraw(each.get());
}

UnitStack& UnitStacks::make() {
  const std::lock_guard lock(mutex_);
  for (std::size_t bytes = usual_bytes; bytes >= least_bytes; bytes /= 4) {
    try {
      all_.push_back(std::make_unique<UnitStack>(bytes));
      announce(all_.back().get());
      return *all_.back();
    } catch (const std::bad_alloc&) {
      continue;
    }
  }
  stop(0, "no memory for the stack of a unit", "a unit has a stack of 1 MiB or more");
}

void UnitStacks::free_dead() {
  const std::lock_guard lock(mutex_);
  std::erase_if(all_, [](const auto& each) {
    if (!each->is_dead()) return false;
    withdraw(each.get());
    return true;
  });
}

UnitStack* UnitStacks::find(const void* address) {
  for (auto& each : known_stacks) {
    UnitStack* const stack = each.load(std::memory_order_relaxed);
    if (stack != nullptr && stack->memory().contains(address)) return stack;
  }
  return nullptr;
}

}  // namespace takt::tasking::schedule
