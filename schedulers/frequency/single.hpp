#pragma once
/// `single`: all tasks on the fastest processor for the graph (of equals the first), in topological
/// order.
///
/// It has no communication; a schedule with a longer period is of no use. O(n P).

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule single(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
