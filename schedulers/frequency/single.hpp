#pragma once
/// `single`: everything on one processor, the one that does it fastest (of equals the first), in topological
/// order.
///
/// No communication, and the longest period that is worth considering. O(n P).

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule single(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
