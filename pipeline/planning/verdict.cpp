#include "pipeline/planning/verdict.hpp"

#include <algorithm>

#include "pipeline/constants.hpp"
#include "schedulers/objective.hpp"

namespace takt::pipeline {

namespace {

PlanGoal goal_with(const Pipeline& pipeline, double margin, double accuracy) {
  PlanGoal goal{.accuracy = accuracy};
  const std::optional<Frequency> own = pipeline.leaves_goal_open ? pipeline.source_rate() : std::nullopt;
  const bool needs_rate = schedulers::needs_rate(pipeline.goal.objective);
  const std::optional<Frequency> rate = needs_rate ? pipeline.required_rate() : own;
  if (!rate) return goal;
  goal.enough = Frequency{margin * rate->hertz};
  goal.wants_least_latency = own || pipeline.goal.objective == schedulers::Objective::latency;
  return goal;
}

}  // namespace

PlanGoal goal_by_costs(const Pipeline& pipeline) {
  return goal_with(pipeline, pipeline.goal.margin, accuracy_of_costs);
}

PlanGoal goal_by_trials(const Pipeline& pipeline) {
  const double margin = pipeline.has_own_margin ? pipeline.goal.margin : 1 + worthwhile_gain;
  return goal_with(pipeline, std::max(margin, 1 + worthwhile_gain), accuracy_of_trials);
}

bool is_enough(const PlanGoal& goal, const PlanFigures& figures) {
  // Periods are rounded to nanoseconds or fractions of them.
  constexpr double rounding = 1e-9;
  return goal.enough && figures.hertz >= goal.enough->hertz * (1 - rounding);
}

std::size_t best_plan_of(const PlanGoal& goal, const std::vector<PlanFigures>& plans) {
  std::optional<std::size_t> held;
  const auto has_clearly_less_latency = [&](std::size_t i) {
    const std::optional<Time>&own = plans[i].latency, &other = plans[*held].latency;
    return goal.wants_least_latency && own && other &&
           static_cast<double>(own->count()) < (1 - worthwhile_gain) * static_cast<double>(other->count());
  };
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (is_enough(goal, plans[i]) && (!held || has_clearly_less_latency(i))) held = i;
  if (held) return *held;
  const double fastest = std::ranges::max(plans, {}, &PlanFigures::hertz).hertz;
  const auto first = std::ranges::find_if(
      plans, [&](const PlanFigures& plan) { return plan.hertz * (1 + goal.accuracy) >= fastest; });
  return static_cast<std::size_t>(first - plans.begin());
}

}  // namespace takt::pipeline
