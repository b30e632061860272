#pragma once
/// A*, the best mapping of a task interaction graph.
///
/// * Papers: C.-C. Shen, W.-H. Tsai, "A graph matching approach to optimal task assignment in distributed
///   computing systems using a minimax criterion", IEEE Transactions on Computers C-34(3), 1985; M. Kafil, I.
///   Ahmad, "Optimal task assignment in heterogeneous distributed computing systems", IEEE Concurrency 6(3),
///   1998.
/// * A state maps the first tasks of an order that begins with the task of the largest exchanges; each next
///   one exchanges the most with those before it. The state with the least bound is next. The bound holds
///   each load and the least additions of every unmapped task, by joining the processor or by exchanging data
///   with its tasks; and the mean load with the least work of all unmapped tasks.
/// * The search begins with the mapping of recursive clustering, which states must undercut. After `effort`
///   states (by default some seconds) it ends with the best mapping found so far.
/// * Ties: the state with more tasks, then the older one. Of equal empty processors the first is tried.
/// * Complexity: exponential, O((n + m) P) a state; O(states P) memory.

#include "schedulers/mapping/interaction_graph.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

struct BestMapping {
  std::vector<ProcessorId> processor_of;
  /// Whether no mapping has a smaller largest load.
  bool optimal = false;
};

[[nodiscard]] BestMapping astar(const InteractionGraph& graph, const Options& options);
[[nodiscard]] Schedule astar(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
