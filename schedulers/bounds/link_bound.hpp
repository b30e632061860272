#pragma once
/// A lower bound of the period where messages share links.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/network.hpp"
#include "core/period.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// What can pass between nodes of a network, on all ways and in both directions together, in bytes a tick: by
/// node, another one (or itself, of the first) and the least of all cuts between the two. The least of a pair
/// is the least on the way between them in this tree (D. Gusfield, "Very simple methods for all pairs network
/// flow analysis", SIAM Journal on Computing 19, 1990). n - 1 maximum flows.
struct CapacityTree {
  std::vector<std::uint32_t> parent;
  std::vector<double> capacity;
};
[[nodiscard]] CapacityTree capacity_tree(const Network& network);

/// Tasks on two nodes part a connected graph, whatever stands on each side, and what is cut passes between
/// the two nodes: never less than the graph's least cut X. So with a period below X / c no two nodes are used
/// that have a capacity of c between them, and all tasks are in one of the parts of the machine that the
/// others leave; each part has the bounds of its processors:
///
///   period >= min over c of max(X / c, min over parts of their bounds).
///
/// Data count by their bytes; messages may share their latencies. 0 where tasks without
/// state may take frames to several processors, or graph and network are too large (400 tasks, 256 nodes), or
/// the graph is not connected. O(n^3) for n tasks.
[[nodiscard]] Period link_bound(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
