#pragma once
/// Topological orders from which good chains can be cut.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/search/stage_search.hpp"

namespace takt::schedulers {

/// The choice of the next task among those whose predecessors are all in the order.
enum class OrderRule : std::uint8_t {
  /// By layer, then id.
  layer,
  /// The one that became ready last: depth first.
  depth_first,
  /// The one that leaves the least data live.
  least_live,
  /// The one with the longest path to an exit.
  b_level,
  /// The one with the most work.
  largest,
  /// A random one.
  random,
  /// Depth first, with the tasks that become ready together in random order.
  random_depth_first,
};

/// Ties by id, except for the random rules. O((n + m) log n), and for least_live an additional O(degree) for
/// each task that shares data with one that is put into the order.
[[nodiscard]] std::vector<TaskId> topological_order(const TaskGraph& graph, OrderRule rule,
                                                    SearchRandom& random);

}  // namespace takt::schedulers
