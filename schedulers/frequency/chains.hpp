#pragma once
/// `chains`: the best relay chain in topological order.
///
/// Tasks in order of layer, then id, as in basic_fo, cut optimally with the exact costs of receive, work and
/// send for every number of processors (chain_partition.hpp); so never worse than basic_fo, whose cuts are
/// among the candidates. Of equally good chains one with the fewest processors. On machines with different
/// processors or links the chain follows the processor ids. O((n + m) + n log W) for equal processors, O(n P
/// log W) otherwise.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule chains(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
