#pragma once
/// GreedyMethod on a chain of groups of processors: a compromise between greedy and a chain.

#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// For each number of groups from 2 to P (at most 16): divides the processors, in their
/// order, into groups of equal size (the first ones larger by one if needed), and the layers
/// into as many segments, so that the longest time of a segment, without messages, is least.
/// A group balances each layer of its segment as greedy does (frequency/greedy.hpp), with
/// one message per layer and destination, and the least period for these orders. Few groups
/// have little latency, many a high frequency. O(groups * (n log n + layers log W)).
[[nodiscard]] std::vector<Schedule> greedy_groups(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
