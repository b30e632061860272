#pragma once
/// Where groups of ranks that work on a frame together are worth it.

#include <optional>

#include "logp/machine.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::pipeline {

/// A plan with groups for the same goal, where it holds a rate that `plan` does not hold, or is predicted to
/// have 1/1.15 of its latency or fewer processors at a rate, otherwise 1.15 times its frequency: the model
/// knows a redistribution neither beside others nor as work of its ranks, so a smaller gain need not be one.
/// Nothing where no task is moldable.
[[nodiscard]] std::optional<schedulers::Plan> plan_in_groups(const TaskGraph& graph,
                                                             const logp::Machine& machine,
                                                             schedulers::Goal goal,
                                                             const schedulers::Plan& plan);

}  // namespace takt::pipeline
