#include "pipeline/planning/verdict.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/constants.hpp"
#include "schedulers/objective.hpp"

namespace takt::pipeline {

namespace {

PlanGoal goal_with(const Pipeline& pipeline, double margin, double accuracy) {
  PlanGoal goal{.accuracy = accuracy};
  if (pipeline.latency) goal.latency_limit = pipeline.latency->most;
  goal.rate = pipeline.required_rate();
  const std::optional<Frequency> own = pipeline.leaves_goal_open ? pipeline.source_rate() : std::nullopt;
  const bool needs_rate = schedulers::needs_rate(pipeline.goal.objective);
  const std::optional<Frequency> rate = needs_rate ? pipeline.required_rate() : own;
  if (!rate) return goal;
  goal.rate = rate;
  goal.enough = Frequency{margin * rate->hertz};
  goal.wants_least_latency = own || pipeline.goal.objective == schedulers::Objective::latency;
  return goal;
}

/// Periods are rounded to nanoseconds or fractions of them.
bool reaches(double hertz, double least) {
  constexpr double rounding = 1e-9;
  return hertz >= least * (1 - rounding);
}

bool is_fast_enough(const PlanGoal& goal, const PlanFigures& figures) {
  return goal.enough && reaches(figures.hertz, goal.enough->hertz);
}

/// With a limit of the latency: holds it and the rate, without a margin.
bool holds_both(const PlanGoal& goal, const PlanFigures& figures) {
  return goal.latency_limit && goal.rate && reaches(figures.hertz, goal.rate->hertz) &&
         is_in_time(goal, figures);
}

}  // namespace

PlanGoal goal_by_costs(const Pipeline& pipeline) {
  return goal_with(pipeline, pipeline.goal.margin, accuracy_of_costs);
}

PlanGoal goal_by_trials(const Pipeline& pipeline) {
  const double margin = pipeline.has_own_margin ? pipeline.goal.margin : 1 + worthwhile_gain;
  return goal_with(pipeline, std::max(margin, 1 + worthwhile_gain), accuracy_of_trials);
}

bool is_in_time(const PlanGoal& goal, const PlanFigures& figures) {
  return !goal.latency_limit || !figures.latency || *figures.latency <= *goal.latency_limit;
}

bool is_enough(const PlanGoal& goal, const PlanFigures& figures) {
  return is_fast_enough(goal, figures) && is_in_time(goal, figures);
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
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (holds_both(goal, plans[i]) && (!held || plans[i].hertz > plans[*held].hertz)) held = i;
  if (held) return *held;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (is_fast_enough(goal, plans[i]) && (!held || plans[i].latency < plans[*held].latency)) held = i;
  if (held) return *held;
  const bool is_one_in_time =
      std::ranges::any_of(plans, [&](const PlanFigures& plan) { return is_in_time(goal, plan); });
  const auto hertz = [&](const PlanFigures& plan) {
    return is_one_in_time && !is_in_time(goal, plan) ? -1 : plan.hertz;
  };
  const double fastest = hertz(std::ranges::max(plans, {}, hertz));
  const auto first = std::ranges::find_if(plans, [&](const PlanFigures& plan) {
    return hertz(plan) >= 0 && hertz(plan) * (1 + goal.accuracy) >= fastest;
  });
  return static_cast<std::size_t>(first - plans.begin());
}

std::optional<std::string> misfit_of(const PlanGoal& goal, const std::vector<PlanFigures>& plans) {
  if (!goal.latency_limit) return std::nullopt;
  std::optional<Time> least, least_at_rate;
  double fastest = 0, fastest_in_time = 0;
  for (const PlanFigures& plan : plans) {
    const bool has_rate = !goal.rate || reaches(plan.hertz, goal.rate->hertz);
    if (has_rate && is_in_time(goal, plan)) return std::nullopt;
    fastest = std::max(fastest, plan.hertz);
    if (is_in_time(goal, plan)) fastest_in_time = std::max(fastest_in_time, plan.hertz);
    if (!plan.latency) continue;
    least = std::min(least.value_or(*plan.latency), *plan.latency);
    if (has_rate) least_at_rate = std::min(least_at_rate.value_or(*plan.latency), *plan.latency);
  }
  const std::string limit = takt::to_string(*goal.latency_limit);
  if (!goal.rate)
    return fmt::format("no plan found has a latency of at most {}: the least predicted one is {}", limit,
                       takt::to_string(*least));
  const std::string rate = takt::to_string(*goal.rate);
  std::vector<std::string> fits;
  if (least_at_rate)
    fits.push_back(
        fmt::format("the least predicted latency at {} is {}", rate, takt::to_string(*least_at_rate)));
  else
    fits.push_back(
        fmt::format("the fastest plan is predicted to reach {}", takt::to_string(Frequency{fastest})));
  if (fastest_in_time > 0)
    fits.push_back(fmt::format("within {} a plan is predicted to reach {}", limit,
                               takt::to_string(Frequency{fastest_in_time})));
  else if (least && least != least_at_rate)
    fits.push_back(
        fmt::format("the least predicted latency of the plans tried is {}", takt::to_string(*least)));
  return fmt::format("no plan found holds {} with a latency of at most {}: {}", rate, limit,
                     fmt::join(fits, "; "));
}

}  // namespace takt::pipeline
