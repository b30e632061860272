#pragma once
/// The workers of sched, which the next sched uses again.

#include "pipeline/tasking/pool.hpp"
#include "pipeline/tasking/schedule/unit_stack.hpp"

namespace takt::tasking::schedule {

/// Starting and ending threads takes 0.1 ms, and so does making stacks.
struct Workers {
  explicit Workers(int workers)
      : pool({.workers = workers, .order = Order::oldest_first, .cores = {}, .core_types = {}}),
        stacks(workers) {}

  /// Returns the workers of the last sched of this process if it had this number, or new ones. They sleep
  /// until the process ends or a sched requests another number.
  static Workers& of(int workers);

  Pool pool;
  UnitStacks stacks;
};

}  // namespace takt::tasking::schedule
