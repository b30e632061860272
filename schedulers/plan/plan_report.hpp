#pragma once
/// Plans of graphs as text for users and as JSON for programs; docs/reference/cli.md documents the keys.

#include <iosfwd>
#include <string>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"
#include "schedulers/plan/goal.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::schedulers {

/// Returns the schedule with its figures and further details: whether fewer processors suffice, the choice of
/// `auto`, the loads of a mapping, and, if the goal has a trace, the placement of each task. Graph, machine
/// and goal must be those of the plan.
[[nodiscard]] std::string plan_to_text(const Plan& plan, const TaskGraph& graph, const logp::Machine& machine,
                                       const Goal& goal);
void write_plan_json(std::ostream& out, const Plan& plan, const TaskGraph& graph,
                     const logp::Machine& machine, const Goal& goal);

}  // namespace takt::schedulers
