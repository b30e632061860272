#pragma once
/// Topological orders from which good chains can be cut.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/search/stage_search.hpp"

namespace takt::schedulers {

/// How to choose the next one of the tasks whose predecessors are all in the order already.
enum class OrderRule : std::uint8_t {
  /// By layer, then id.
  layer,
  /// The one that became ready last: depth first.
  depth_first,
  /// The one that leaves the least data live.
  least_live,
  /// The one with the longest way to an exit.
  b_level,
  /// The one with the most work.
  largest,
  /// Any one.
  random,
  /// Depth first, with the tasks that become ready together in any order.
  random_depth_first,
};

/// Ties by id, but for the random rules. O((n + m) log n), and for least_live O(degree) more for each task
/// that shares data with one that is put into the order.
[[nodiscard]] std::vector<TaskId> topological_order(const TaskGraph& graph, OrderRule rule,
                                                    SearchRandom& random);

}  // namespace takt::schedulers
