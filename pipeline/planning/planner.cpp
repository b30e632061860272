#include "pipeline/planning/planner.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "logp/diagnostics.hpp"
#include "schedulers/plan/rate_objective.hpp"
#include "schedulers/plan/shortfall.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::pipeline {

namespace {

/// Of each scheduler and search, where the objective chooses among many: every rank plans for itself.
constexpr std::uint64_t choice_effort = 5'000;

std::string_view name_of(StageKind kind) {
  switch (kind) {
    case StageKind::source:
      return "source";
    case StageKind::kernel:
      return "kernel";
    case StageKind::sink:
      return "sink";
  }
  return "";
}

/// The largest work of a frame on one node, divided by its cores: no schedule runs faster there.
double node_period(const logp::Machine& machine, const ScheduleMetrics& metrics, std::size_t cores) {
  std::vector<double> work(machine.platform().cluster_of_node.size(), 0.0);
  for (std::size_t p = 0; p < metrics.occupancy.size(); ++p)
    work[machine.platform().node_of[p]] +=
        static_cast<double>((metrics.occupancy[p].compute + metrics.occupancy[p].overhead).count());
  return *std::max_element(work.begin(), work.end()) / static_cast<double>(cores) / metrics.replicas;
}

/// Time between frames: the schedule's period, or what the cores of the nodes need where that is more.
double predicted_period(const logp::Machine& machine, const Schedule& schedule, std::size_t cores) {
  const ScheduleMetrics metrics = measure(schedule);
  return std::max({metrics.period(), node_period(machine, metrics, cores), 1.0});
}

struct Choice {
  Schedule schedule;
  PlanObjective objective = PlanObjective::frequency;
};

/// The pipeline's objective where it can be had, otherwise the highest frequency.
Choice choose(const Pipeline& pipeline, const TaskGraph& graph, const logp::Machine& machine,
              std::size_t cores) {
  const auto fastest = [&] {
    return schedulers::find_scheduler(pipeline.scheduler)
        .schedule(graph, machine, {.seed = pipeline.seed, .effort = pipeline.effort});
  };
  if (pipeline.objective == PlanObjective::frequency || !pipeline.required_rate)
    return {fastest(), PlanObjective::frequency};
  const schedulers::RequiredRate rate{1e9 / (pipeline.required_rate->hertz * pipeline.margin)};
  schedulers::RateSchedule held = schedulers::schedule_for_rate(
      pipeline.objective == PlanObjective::latency ? schedulers::RateObjective::latency
                                                   : schedulers::RateObjective::processors,
      rate, graph, machine, {.seed = pipeline.seed, .effort = pipeline.effort.value_or(choice_effort)});
  const double period = predicted_period(machine, held.schedule, cores);
  if (held.is_held && period <= rate.period) return {std::move(held.schedule), pipeline.objective};
  // The cores can be too few for a schedule that would hold the rate.
  Schedule other = fastest();
  if (held.is_held && period <= predicted_period(machine, other, cores))
    return {std::move(held.schedule), pipeline.objective};
  return {std::move(other), PlanObjective::frequency};
}

}  // namespace

Plan make_plan(const Pipeline& pipeline, const std::vector<StageCost>& costs, const logp::Machine& machine,
               std::size_t cores) {
  std::vector<Time> times;
  for (const StageCost& cost : costs) times.push_back(cost.cost);
  Plan plan;
  plan.graph = pipeline.task_graph(times);
  Choice choice = choose(pipeline, plan.graph, machine, cores);
  plan.schedule = std::move(choice.schedule);
  if (const auto findings = logp::diagnose(plan.graph, machine, plan.schedule); !findings.empty())
    throw std::logic_error(fmt::format("the schedule of '{}' is not valid: {}: {}", plan.schedule.scheduler,
                                       findings.front().rule, findings.front().message));

  const ScheduleMetrics metrics = measure(plan.schedule);
  RunPlan& summary = plan.summary;
  summary.pipeline = pipeline.name;
  summary.scheduler = plan.schedule.scheduler;
  summary.objective = name_of(choice.objective);
  summary.ranks = machine.processor_count();
  summary.replicas = plan.schedule.replicas;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    summary.stages.push_back({stage.name,
                              stage.type,
                              std::string(name_of(stage.kind)),
                              stage.inputs,
                              {},
                              times[i].count(),
                              stage.output.to_string()});
  }
  for (std::size_t p = 0; p < plan.schedule.processors.size(); ++p)
    for (const Operation& operation : plan.schedule.processors[p])
      if (operation.kind == OperationKind::compute) {
        auto& ranks = summary.stages[operation.task().index()].ranks;
        if (ranks.empty() || ranks.back() != p) ranks.push_back(p);
      }

  const double crowded = node_period(machine, metrics, cores);
  const double period = predicted_period(machine, plan.schedule, cores);
  summary.predicted_hz = 1e9 / period;
  if (crowded > metrics.period()) {
    summary.limit = fmt::format("{} busy ranks share {} cores", metrics.processors_used, cores);
  } else {
    const auto slowest =
        std::max_element(metrics.occupancy.begin(), metrics.occupancy.end(),
                         [](const Occupancy& a, const Occupancy& b) { return a.occupied() < b.occupied(); });
    summary.limit = fmt::format("rank {} is occupied {} a frame", slowest - metrics.occupancy.begin(),
                                to_string(slowest->occupied() / metrics.replicas));
  }
  if (pipeline.required_rate) summary.required_hz = pipeline.required_rate->hertz;
  for (const Occupancy& occupancy : metrics.occupancy)
    summary.predicted_busy.push_back(static_cast<double>((occupancy.compute + occupancy.overhead).count()) /
                                     metrics.replicas / period);
  if (summary.required_hz && *summary.required_hz > summary.predicted_hz)
    summary.notes.push_back(fmt::format("the required rate of {} is above the predicted {}: {}",
                                        to_string(*pipeline.required_rate),
                                        to_string(Frequency{summary.predicted_hz}), summary.limit));
  if (choice.objective != pipeline.objective)
    summary.notes.push_back(
        fmt::format("no schedule holds {} with a margin of {}: this one has the highest "
                    "frequency found",
                    to_string(*pipeline.required_rate), pipeline.margin));
  if (summary.required_hz) {
    // Where the schedule itself is too slow, what would help.
    const schedulers::RequiredRate rate{1e9 / *summary.required_hz};
    if (!rate.is_held_by(metrics.exact_period()))
      for (const std::string& advice :
           schedulers::explain_shortfall(rate, plan.graph, machine, metrics.exact_period(),
                                         {.effort = 20'000})
               .advice)
        summary.notes.push_back("what would help (times in ns): " + advice);
  }
  return plan;
}

}  // namespace takt::pipeline
