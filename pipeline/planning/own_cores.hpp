#pragma once
/// Plans that leave ranks idle, so that each of the others has a core.

#include <optional>

#include "logp/machine.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::pipeline {

/// Schedulers know processors, and not that those of a node share its cores: two ranks of one node have the
/// cheapest messages and, with one core, nothing to gain, while another node's core is idle. Where `plan` has
/// more busy ranks on a node than it has cores: a plan for as many ranks of each node as it has cores, if it
/// is predicted to be faster, or no slower than by this share; where the goal is the least latency, also if
/// it holds the rate, and the margin if that is not the usual one: what ranks that take turns at cores
/// promise is worth little, and how long their frames take nobody knows. Nothing where `plan` holds the rate
/// of another goal with its margin, or the goal does not tell the cores.
[[nodiscard]] std::optional<schedulers::Plan> plan_on_own_cores(const TaskGraph& graph,
                                                                const logp::Machine& machine,
                                                                const schedulers::Goal& goal,
                                                                const schedulers::Plan& plan,
                                                                double noise = 0);

}  // namespace takt::pipeline
