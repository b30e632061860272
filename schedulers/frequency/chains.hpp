#pragma once
/// `chains`: the best relay chain that keeps the topological order.
///
/// Tasks in order of layer, then id, as basic_fo has them, cut optimally with the exact costs of receive,
/// work and send for every number of processors (chain_partition.hpp); so never worse than basic_fo, whose
/// cuts are among those compared. Of equally good chains one with the fewest processors. Machines with
/// different processors or links: the chain follows the processors' numbers. O((n + m) + n log W) for equal
/// processors, O(n P log W) otherwise.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule chains(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
