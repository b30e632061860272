#pragma once
/// GreedyMethod on groups of processors, one after the other: between greedy and a chain.

#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// For each number of groups from 2 to P (at most 16): the processors in their order in groups of equal size
/// (the first ones larger by one where it does not come out even), the layers in as many segments, such that
/// the longest time of a segment, without messages, is least; a group levels out each layer of its segment as
/// greedy does (frequency/greedy.hpp), with one message for a layer and a destination, and the least period
/// for these orders. Few groups have little latency, many groups a high frequency.
/// O(groups * (n log n + layers log W)).
[[nodiscard]] std::vector<Schedule> greedy_groups(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
