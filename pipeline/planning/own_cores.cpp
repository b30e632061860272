#include "pipeline/planning/own_cores.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/planning/usual_margin.hpp"
#include "schedulers/plan/portfolio.hpp"
#include "schedulers/search/processor_selections.hpp"

namespace takt::pipeline {

namespace {

/// By node, how many of these there are.
template <class Counts>
std::vector<std::size_t> by_node(const logp::Machine& machine, Counts counts) {
  std::vector<std::size_t> number(machine.platform().cluster_of_node.size());
  for (std::size_t p = 0; p < machine.processor_count(); ++p)
    if (counts(p)) ++number[machine.platform().node_of[p]];
  return number;
}

/// The first `cores` ranks of each node.
std::vector<ProcessorId> ranks_with_cores(const logp::Machine& machine, std::size_t cores) {
  std::vector<std::size_t> taken(machine.platform().cluster_of_node.size());
  std::vector<ProcessorId> ranks;
  for (std::size_t p = 0; p < machine.processor_count(); ++p)
    if (taken[machine.platform().node_of[p]]++ < cores) ranks.emplace_back(p);
  return ranks;
}

}  // namespace

std::optional<schedulers::Plan> plan_on_own_cores(const TaskGraph& graph, const logp::Machine& machine,
                                                  const schedulers::Goal& goal, const schedulers::Plan& plan,
                                                  double noise) {
  if (!goal.cores_a_node) return std::nullopt;
  const bool is_for_latency = goal.objective == schedulers::Objective::latency;
  if (goal.rate && plan.holds_margin && !is_for_latency) return std::nullopt;
  const Schedule& schedule = plan.evaluation.schedule;
  const std::vector<std::size_t> busy =
      by_node(machine, [&](std::size_t p) { return !schedule.processors[p].empty(); });
  if (std::ranges::max(busy) <= *goal.cores_a_node) return std::nullopt;
  const std::vector<ProcessorId> ranks = ranks_with_cores(machine, *goal.cores_a_node);
  schedulers::Plan fewer = make_plan(schedulers::for_processors(graph, ranks), machine.subset(ranks), goal);
  schedulers::Plan wide = schedulers::plan_of(
      graph, machine, goal,
      schedulers::on_whole_machine(std::move(fewer.evaluation.schedule), ranks, machine.processor_count()));
  wide.objective = fewer.objective;
  if (fewer.of_one_frame)
    wide.of_one_frame =
        schedulers::on_whole_machine(*std::move(fewer.of_one_frame), ranks, machine.processor_count());
  const bool is_as_fast = wide.prediction.period < (1 + noise) * plan.prediction.period;
  const bool holds_as_much =
      has_usual_margin(goal) ? wide.holds_rate : wide.holds_margin >= plan.holds_margin;
  if (!wide.evaluation.findings.empty() || !(is_as_fast || (is_for_latency && holds_as_much)))
    return std::nullopt;
  if (plan.holds_margin) wide.objective = plan.objective;
  return wide;
}

}  // namespace takt::pipeline
