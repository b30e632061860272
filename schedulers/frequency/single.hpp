#pragma once
/// `single`: all tasks on the fastest processor for the graph (of equals the first), in topological
/// order.
///
/// No communication, and the longest relevant period. O(n P).

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule single(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
