#include "pipeline/planning/pipeline_plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/devices.hpp"
#include "core/error.hpp"
#include "core/graphs/task_groups.hpp"
#include "logp/diagnostics.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/planning/deep_queues.hpp"
#include "pipeline/planning/device_charge.hpp"
#include "pipeline/planning/planned_latency.hpp"
#include "pipeline/planning/rank_memory.hpp"
#include "pipeline/planning/schedule_fit.hpp"
#include "pipeline/planning/scheduling_goal.hpp"
#include "pipeline/program/layout.hpp"
#include "pipeline/tiles/tiling.hpp"
#include "schedulers/plan/shortfall.hpp"

namespace takt::pipeline {

namespace {

std::vector<PlannedStage> planned_stages(const Pipeline& pipeline, const TaskGraph& graph,
                                         const Schedule& schedule) {
  std::vector<PlannedStage> stages;
  const TaskGroups groups(graph, schedule);
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    const std::size_t group = std::max<std::size_t>(1, groups.runs(TaskId(i)).size());
    stages.push_back({.name = stage.name,
                      .type = stage.type,
                      .kind = std::string(name_of(stage.kind)),
                      .inputs = stage.inputs,
                      .ranks = {},
                      .cost_ns = std::llround(graph.task(TaskId(i)).time_on(group)),
                      .output = stage.output.to_string(),
                      .output_bytes = stage.output.size().count,
                      .group = group,
                      .calls_a_frame = pipeline.calls_a_frame(i),
                      .has_own_pace = stage.kind == StageKind::source &&
                                      pipeline.kernels.find_source(stage.type)->pace(stage.parameters) > 0});
  }
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute) {
        std::vector<std::size_t>& ranks = stages[operation.task().index()].ranks;
        if (ranks.empty() || ranks.back() != p) ranks.push_back(p);
      }
  if (graph.has_work_table())
    for (std::size_t i = 0; i < stages.size(); ++i)
      if (stages[i].group == 1 && !stages[i].ranks.empty()) {
        // Only its own ranks count: the cost of other ranks may be arbitrary.
        double sum = 0;
        for (const std::size_t rank : stages[i].ranks)
          sum += static_cast<double>(graph.work_on(TaskId(i), ProcessorId(rank))->count());
        stages[i].cost_ns = std::llround(sum / static_cast<double>(stages[i].ranks.size()));
      }
  // The graph holds means over frames.
  for (PlannedStage& stage : stages)
    stage.cost_ns = std::llround(static_cast<double>(stage.cost_ns) / stage.calls_a_frame);
  return stages;
}

std::string limit_of(const TaskGraph& graph, const schedulers::Plan& plan, std::size_t cores) {
  const schedulers::Prediction& prediction = plan.prediction;
  const Schedule& schedule = plan.evaluation.schedule;
  constexpr double rounding = 1e-9;
  const double repetition = prediction.period * schedule.replicas * (1 - rounding);
  for (const Device& device : schedule.devices) {
    const Period least = period_of(device);
    if (static_cast<double>(least.time_of(schedule.replicas).count()) < repetition) continue;
    return fmt::format("device '{}' is occupied for {} per frame", device.name,
                       takt::to_string(Time(std::llround(least.ticks()))));
  }
  for (const TaskOnDevices& task : tasks_on_devices(schedule)) {
    if (static_cast<double>(task.period().time_of(schedule.replicas).count()) < repetition) continue;
    return fmt::format("'{}' has {} frames under way on its devices, each for {}", graph.task(task.task).name,
                       task.depth, takt::to_string(task.latency));
  }
  if (prediction.cores_are_short)
    return fmt::format("{} busy ranks share {} core{}", plan.evaluation.figures.processors_used, cores,
                       cores == 1 ? "" : "s");
  return fmt::format("rank {} is occupied for {} per frame", prediction.busiest.index(),
                     takt::to_string(prediction.occupied));
}

/// Notes memory of sources and sinks beyond the frames in transit, which the pipeline file does not show.
void note_extra_memory(const Pipeline& pipeline, RunPlan& summary) {
  for (const Stage& stage : pipeline.stages) {
    const Bytes bytes = extra_memory(stage);
    if (bytes.count == 0) continue;
    std::string what;
    if (stage.depth > 0)
      what = fmt::format("has {} frames under way", stage.depth);
    else if (stage.transient)
      what = fmt::format("buffers {} of frames", takt::to_string(stage.transient->before));
    else
      what = fmt::format("has a backlog of {} frames", stage.backlog->depth);
    if (stage.transient && stage.backlog)
      what += fmt::format(" and has a backlog of {}", stage.backlog->depth);
    std::string text = fmt::format("{} {}, {} of memory", stage.name, what, takt::to_string(bytes));
    if (stage.backlog && stage.backlog->policy == sensors::BacklogPolicy::spill)
      text += fmt::format(", and up to {} in {}", takt::to_string(stage.backlog->spill),
                          stage.backlog->folder.string());
    summary.notes.push_back(text);
  }
}

/// Notes which states travel, which the ranks of a task do not show.
void note_travelling(const Pipeline& pipeline, const Schedule& schedule, RunPlan& summary) {
  for (const TaskId task : schedule.travelling) {
    const Stage& stage = pipeline.stages[task.index()];
    summary.notes.push_back(
        fmt::format("the state of {} (up to {}) travels with the frames between its ranks", stage.name,
                    takt::to_string(stage.travelling)));
  }
}

/// A schedule knows processors, not cores: if there are fewer cores, parallel tasks are serialised.
void note_shared_cores(std::size_t busy_ranks, std::size_t cores, RunPlan& summary) {
  if (busy_ranks <= cores) return;
  summary.notes.push_back(
      fmt::format("the predicted latency assumes one core per rank, but {} ranks share {}: it is higher "
                  "while more ranks are busy than there are cores",
                  busy_ranks, cores));
}

/// Returns true for stages that the user can neither split nor change: sources, sinks, and built-in kernels
/// that do not run user code.
bool is_built_in(const Stage& stage) {
  static const KernelRegistry library = KernelRegistry::with_built_in_kernels();
  if (stage.kind != StageKind::kernel) return true;
  return stage.type != "python" && library.find(stage.type) != nullptr;
}

/// Adds notes and advice for a missed rate.
void add_notes(const Pipeline& pipeline, PipelinePlan& plan) {
  const schedulers::Goal& goal = pipeline.goal;
  if (!goal.rate) return;
  RunPlan& summary = plan.summary;
  const double required_hz = pipeline.required_rate()->hertz;
  if (plan.plan.objective != goal.objective)
    summary.notes_below.push_back(
        {goal.margin * required_hz,
         fmt::format("no schedule found holds {} with a margin of {}: this one is the fastest",
                     takt::to_string(Frequency{required_hz}), goal.margin)});
  // If only the cores are too few and the schedule is fast enough, no schedule helps.
  const Period period = plan.plan.evaluation.figures.exact_period();
  if (goal.rate->is_held_by(period)) return;
  std::vector<TaskId> built_in;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    if (is_built_in(pipeline.stages[i])) built_in.emplace_back(i);
  const schedulers::Shortfall shortfall = schedulers::explain_shortfall(
      *goal.rate, plan.graph, plan.machine,
      {period, plan.plan.evaluation.figures.bound, plan.plan.evaluation.figures.bound_among},
      {.search = {.effort = advice_effort}, .built_in = std::move(built_in), .is_in_ns = true});
  for (const std::string& advice : shortfall.advice)
    summary.notes_below.push_back({required_hz, "remedy: " + advice});
  summary.notes_below.push_back(
      {required_hz,
       fmt::format("remedy: a 'rate' of at most {}, which this plan holds with a margin of {}",
                   takt::to_string(Frequency{1e9 / period.ticks() / goal.margin}), goal.margin)});
}

}  // namespace

PipelinePlan described(const Pipeline& pipeline, TaskGraph graph, logp::Machine machine,
                       schedulers::Plan made, std::size_t cores) {
  PipelinePlan plan{std::move(graph), std::move(machine), std::move(made), {}};
  const Schedule& schedule = plan.schedule();
  const ScheduleMetrics& metrics = plan.plan.evaluation.metrics;
  // Stages may have no measurable cost.
  const double period = std::max(plan.plan.prediction.period, 1.0);
  RunPlan& summary = plan.summary;
  summary.pipeline = pipeline.name;
  summary.scheduler = schedule.scheduler;
  summary.objective = name_of(plan.plan.objective);
  summary.ranks = plan.machine.processor_count();
  summary.cores_per_rank = pipeline.deployment.cores_per_rank.value_or(pipeline.tasks->cores());
  summary.replicas = schedule.replicas;
  summary.is_pipelined = schedule.repetition.has_value();
  summary.stages = planned_stages(pipeline, plan.graph, schedule);
  summary.predicted_hz = 1e9 / period;
  set_latencies(paced_latencies(pipeline, plan.graph, plan.machine, schedule), summary);
  count_whole_calls(summary);
  summary.limit = limit_of(plan.graph, plan.plan, cores);
  if (const std::optional<Frequency> rate = pipeline.required_rate()) summary.required_hz = rate->hertz;
  if (pipeline.latency) {
    summary.required_latency_ns = pipeline.latency->most.count();
    summary.latency_quantile = named(pipeline.latency->quantile).name;
  }
  for (const Occupancy& occupancy : metrics.occupancy)
    summary.predicted_busy.push_back(static_cast<double>((occupancy.compute + occupancy.overhead).count()) /
                                     metrics.replicas / period);
  const Execution execution = planned_execution(pipeline, plan.graph, plan.machine, schedule);
  for (std::size_t p = 0; p < summary.ranks; ++p) {
    const RankProgram program = execution.program_of(ProcessorId(p));
    summary.memory_bytes.push_back(memory_of(execution.pipeline, program).count);
    for (const TiledSteps& steps : program.tiled)
      for (const TileGroup::Member& member : steps.group.members)
        summary.stages[execution.roles[member.stage].stage].tiles = member.input.tiles;
  }
  note_shared_cores(plan.plan.evaluation.figures.processors_used,
                    cores * plan.machine.platform().cluster_of_node.size(), plan.summary);
  note_extra_memory(pipeline, plan.summary);
  note_travelling(pipeline, schedule, plan.summary);
  note_short_queues(pipeline, plan.summary);
  add_notes(pipeline, plan);
  return plan;
}

PlanFigures figures_of(const RunPlan& plan) {
  return {plan.predicted_hz, Time(plan.predicted_latency_ns)};
}

std::string to_yaml(const PipelinePlan& plan) {
  return logp::schedule_to_yaml(plan.graph, plan.machine, plan.schedule());
}

PipelinePlan plan_from_yaml(const std::string& text, const std::string& file, const Pipeline& pipeline,
                            std::size_t cores) {
  return plan_of_schedule(logp::schedule_from_yaml(text, file), file, pipeline, cores);
}

PipelinePlan plan_of_schedule(logp::ScheduleFile given, const std::string& name, const Pipeline& pipeline,
                              std::size_t cores) {
  check_fit(pipeline, given.graph, given.machine, given.schedule, name);
  schedulers::Plan plan = schedulers::plan_of(given.graph, given.machine, scheduling_goal(pipeline, cores),
                                              std::move(given.schedule));
  PipelinePlan result =
      described(pipeline, std::move(given.graph), std::move(given.machine), std::move(plan), cores);
  charge_devices(pipeline, {}, result.schedule(), result.summary);
  result.summary.objective = "given";
  return result;
}

}  // namespace takt::pipeline
