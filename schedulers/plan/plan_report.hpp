#pragma once
/// Plans of graphs as text for people and as JSON for programs; docs/reference/cli.md documents the keys.

#include <iosfwd>
#include <string>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"
#include "schedulers/plan/goal.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::schedulers {

/// The schedule with its figures, and whatever else there is to tell: whether fewer processors could do, whom
/// `auto` chose, how a mapping loads the processors, and, where the goal asks for a trace, how each task was
/// placed. Of graph, machine and goal that the plan was made for.
[[nodiscard]] std::string plan_to_text(const Plan& plan, const TaskGraph& graph, const logp::Machine& machine,
                                       const Goal& goal);
void write_plan_json(std::ostream& out, const Plan& plan, const TaskGraph& graph,
                     const logp::Machine& machine, const Goal& goal);

}  // namespace takt::schedulers
