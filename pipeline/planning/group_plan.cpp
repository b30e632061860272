#include "pipeline/planning/group_plan.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/task_groups.hpp"

namespace takt::pipeline {

namespace {

constexpr double least_gain = 1.15;

bool pay(const schedulers::Plan& groups, const schedulers::Plan& plan, const schedulers::Goal& goal) {
  if (goal.rate && groups.holds_margin != plan.holds_margin) return groups.holds_margin;
  if (schedulers::needs_rate(goal.objective) && plan.holds_margin) {
    if (goal.objective == schedulers::Objective::processors)
      return groups.evaluation.figures.processors_used < plan.evaluation.figures.processors_used;
    return least_gain * static_cast<double>(groups.evaluation.metrics.latency.count()) <=
           static_cast<double>(plan.evaluation.metrics.latency.count());
  }
  return least_gain * groups.prediction.period <= plan.prediction.period;
}

}  // namespace

std::optional<schedulers::Plan> plan_in_groups(const TaskGraph& graph, const logp::Machine& machine,
                                               schedulers::Goal goal, const schedulers::Plan& plan) {
  if (!graph.is_moldable()) return std::nullopt;
  if (!needs_rate(goal.objective)) goal.scheduler = "mixed_fo";
  try {
    schedulers::Plan groups = make_plan(graph, machine, goal);
    const bool is_taken = groups.evaluation.figures.valid &&
                          runs_in_groups(graph, groups.evaluation.schedule) && pay(groups, plan, goal);
    return is_taken ? std::optional(std::move(groups)) : std::nullopt;
  } catch (const ConfigError&) {
    // Groups cannot serve this machine.
    return std::nullopt;
  }
}

}  // namespace takt::pipeline
