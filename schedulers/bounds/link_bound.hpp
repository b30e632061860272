#pragma once
/// A lower bound of the period for messages that share links.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/network.hpp"
#include "core/period.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Capacity between the nodes of a network, over all routes and both directions together, in bytes per tick.
/// Each node has a parent in a tree (the first one itself) and the minimum cut between the two. The capacity
/// of a pair is the least on its path in this tree (D. Gusfield, "Very simple methods for all pairs network
/// flow analysis", SIAM Journal on Computing 19, 1990). n - 1 maximum flows.
struct CapacityTree {
  std::vector<std::uint32_t> parent;
  std::vector<double> capacity;
};
[[nodiscard]] CapacityTree capacity_tree(const Network& network);

/// Tasks on two nodes divide a connected graph, whatever the division, and the data of the cut passes between
/// the two nodes: never less than the graph's minimum cut X. So with a period below X / c no two nodes with
/// capacity c between them are used together. All tasks are then in one of the parts into which the machine
/// falls, and each part has the bounds of its processors:
///
///   period >= min over c of max(X / c, min over parts of their bounds).
///
/// Data count by their bytes; messages may share their latencies. 0 if stateless tasks may distribute frames
/// over several processors, if graph or network is too large (400 tasks, 256 nodes), or if the graph is not
/// connected. O(n^3) for n tasks.
[[nodiscard]] Period link_bound(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
