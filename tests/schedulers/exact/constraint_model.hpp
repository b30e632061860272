#pragma once
/// Schedules as a constraint model, for another program to solve: Z3 (L. de Moura, N. Bjørner, "Z3: an
/// efficient SMT solver", 2008).

#include <cstdint>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers::oracle {

/// Whether any schedule of one copy of the graph, on a machine whose messages take time but occupy nobody,
/// is no longer than this: a start and a processor for each task, no two at once on one processor, and an
/// edge's latency between two. Meant for up to ten tasks.
[[nodiscard]] bool has_makespan_within(const TaskGraph& graph, const logp::Machine& machine,
                                       std::int64_t length);

/// The same for the time from the start of a processor's first task to the end of its last one, on each.
[[nodiscard]] bool has_period_within(const TaskGraph& graph, const logp::Machine& machine,
                                     std::int64_t period);

}  // namespace takt::schedulers::oracle
