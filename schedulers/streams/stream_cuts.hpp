#pragma once
/// Relay chains for a graph on partly occupied processors.

#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// An order of tasks cut into pieces, one per processor, in the chain's order.
struct StreamCut {
  std::vector<TaskId> order;
  std::vector<ProcessorId> chain;
  /// Piece k is order[cuts[k]] .. order[cuts[k + 1] - 1].
  std::vector<std::size_t> cuts;
  /// The largest share of a processor's free time that a piece uses; at most 1.
  double share = 0;
};

/// Returns the cut with the least share for each of several topological orders, the best one first; empty if
/// no cut fits. `free` is the time of each processor of the chain per frame. O(P n^2) for each order.
[[nodiscard]] std::vector<StreamCut> cut_stream(const TaskGraph& graph, const logp::Machine& machine,
                                                std::span<const ProcessorId> chain,
                                                std::span<const Time> free);

/// Returns the data that cross a boundary of an order: made before it, needed after it.
[[nodiscard]] std::vector<DatumId> data_across(const TaskGraph& graph, std::span<const TaskId> order,
                                               std::size_t boundary);

}  // namespace takt::schedulers
