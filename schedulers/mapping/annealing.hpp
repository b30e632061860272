#pragma once
/// Simulated annealing, for mapping task interaction graphs.
///
/// * Paper: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220,
///   1983; for mappings S. W. Bollinger, S. F. Midkiff, "Heuristic technique for processor and link
///   assignment in multicomputers", IEEE Transactions on Computers 40(3), 1991.
/// * A step moves a random task to another random processor, or exchanges two tasks; the seed determines
///   both. The energy is the largest load plus the mean of all loads. A step that raises it by d is accepted
///   with probability exp(-d / T). The temperature T falls from the mean change of a random step to a
///   thousandth of it, geometrically, in `effort` steps (200 a task).
/// * It begins with the mapping of recursive clustering; finally single tasks of the best mapping move while
///   that lowers its cost.
/// * Complexity: O(effort (degree + P)) time, O(n + m + P^2) memory.

#include "schedulers/mapping/interaction_graph.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the processor of each task.
[[nodiscard]] std::vector<ProcessorId> annealing(const InteractionGraph& graph, const Options& options);
[[nodiscard]] Schedule annealing(const TaskGraph& graph, const logp::Machine& machine,
                                 const Options& options);

}  // namespace takt::schedulers
