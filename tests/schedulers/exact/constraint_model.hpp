#pragma once
/// Schedules as a constraint model, for an independent solver: Z3 (L. de Moura, N. Bjørner, "Z3: an efficient
/// SMT solver", 2008).

#include <cstdint>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers::oracle {

/// Returns whether any schedule of one copy of the graph is no longer than this, on a machine whose messages
/// take time but occupy no processor. The model has a start and a processor for each task, no overlap on a
/// processor, and an edge's latency between two. Meant for up to ten tasks.
[[nodiscard]] bool has_makespan_within(const TaskGraph& graph, const logp::Machine& machine,
                                       std::int64_t length);

/// The same for the largest time of a processor, from the start of its first task to the end of its last one.
[[nodiscard]] bool has_period_within(const TaskGraph& graph, const logp::Machine& machine,
                                     std::int64_t period);

}  // namespace takt::schedulers::oracle
