#pragma once
/// Simulated annealing, for mapping task interaction graphs.
///
/// * Paper: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220,
///   1983; for mappings S. W. Bollinger, S. F. Midkiff, "Heuristic technique for processor and link
///   assignment in multicomputers", IEEE Transactions on Computers 40(3), 1991.
/// * A step moves a task, drawn by the seed, to a processor, drawn among all others, or lets two tasks change
///   places. The energy is the largest load plus the mean of all loads. A step that raises it by d is kept
///   with probability exp(-d / T). The temperature T falls from the mean change of a random step to a
///   thousandth of it, by the same factor a step, in `effort` steps (200 a task).
/// * It begins with the mapping of recursive clustering; at the end single tasks of the best mapping met move
///   while that lowers its cost.
/// * Complexity: O(effort (degree + P)) time, O(n + m + P^2) memory.

#include "schedulers/mapping/interaction_graph.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The processor of each task.
[[nodiscard]] std::vector<ProcessorId> annealing(const InteractionGraph& graph, const Options& options);
[[nodiscard]] Schedule annealing(const TaskGraph& graph, const logp::Machine& machine,
                                 const Options& options);

}  // namespace takt::schedulers
