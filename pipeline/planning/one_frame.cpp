#include "pipeline/planning/one_frame.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/planning/planned_latency.hpp"

namespace takt::pipeline {

namespace {

constexpr double least_gain_of_several = 1.15;

}  // namespace

schedulers::Plan one_frame_where_as_good(const Pipeline& pipeline, const TaskGraph& graph,
                                         const logp::Machine& machine, const schedulers::Goal& goal,
                                         schedulers::Plan plan) {
  if (!plan.of_one_frame) return plan;
  schedulers::Plan simple = schedulers::plan_of(graph, machine, goal, *std::move(plan.of_one_frame));
  plan.of_one_frame.reset();
  // The cores may be too few for the one and not for the other.
  if (simple.holds_rate < plan.holds_rate || simple.holds_margin < plan.holds_margin) return plan;
  if (goal.objective == schedulers::Objective::processors &&
      simple.evaluation.figures.processors_used > plan.evaluation.figures.processors_used)
    return plan;
  const auto latency = [&](const schedulers::Plan& each) {
    const std::vector<Time> at_sinks = paced_latencies(pipeline, graph, machine, each.evaluation.schedule);
    return static_cast<double>(std::ranges::max(at_sinks).count());
  };
  if (latency(simple) > least_gain_of_several * latency(plan)) return plan;
  simple.objective = plan.objective;
  simple.fewest_is_proven = plan.fewest_is_proven;
  simple.evaluation.figures.raise_bound(plan.evaluation.figures.bound, plan.evaluation.figures.bound_among);
  return simple;
}

}  // namespace takt::pipeline
