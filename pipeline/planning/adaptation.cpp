#include "pipeline/planning/adaptation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/available_memory.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/costs/profile.hpp"
#include "pipeline/planning/candidates.hpp"
#include "pipeline/planning/placed_plans.hpp"

namespace takt::pipeline {

namespace {

bool keeps_something(const Stage& stage) {
  return stage.kind == StageKind::kernel && !stage.stateless;
}

/// Returns true if the kernel can save its state. A kernel that throws when it is new counts as unable.
bool can_be_handed_over(const Pipeline& pipeline, std::size_t stage) {
  try {
    return pipeline.make_kernel(stage)->save().has_value();
  } catch (...) {
    return false;
  }
}

/// Returns by stage the rank where it must stay, or those of its place.
RanksByStage places_to_keep(const Pipeline& pipeline, const RunPlan& plan) {
  RanksByStage places(pipeline.stages.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    const bool may_move = stage.kind == StageKind::kernel &&
                          (stage.stateless || (plan.stages[i].tiles == 1 && can_be_handed_over(pipeline, i)));
    places[i] = may_move ? plan.stages[i].may_run_on : std::vector{plan.stages[i].ranks.front()};
  }
  return places;
}

/// CPU shares of the ranks, now and in the costs of the current plan; 1 where the difference is not
/// notable.
struct Shares {
  std::vector<double> now, planned;

  Shares(const Observed& observed, const RunPlan& plan, std::size_t cores)
      : now(plan.ranks, 1.0), planned(plan.processor_shares) {
    // A rank without any share still needs a finite cost in the plan.
    constexpr double least = 0.01;
    const auto lacks = [](double share) { return share < 1 - worthwhile_gain; };
    planned.resize(plan.ranks, 1.0);
    const std::vector<double>& seen = observed.processor_shares;
    const bool is_known = seen.size() == plan.ranks && observed.most_ranks_on_a_host <= cores;
    if (is_known && std::ranges::any_of(seen, lacks))
      for (std::size_t rank = 0; rank < now.size(); ++rank) now[rank] = std::clamp(seen[rank], least, 1.0);
  }
  [[nodiscard]] bool are_whole() const {
    const auto is_whole = [](double share) { return share == 1; };
    return std::ranges::all_of(now, is_whole) && std::ranges::all_of(planned, is_whole);
  }
};

/// Returns the current plan's time for a call of a task on a rank.
Time planned_on(const Pipeline& pipeline, const TaskGraph& planned, TaskId task, std::size_t rank) {
  const Time of_frame =
      planned.has_work_table() ? *planned.work_on(task, ProcessorId(rank)) : planned.task(task).work;
  return Time(std::llround(static_cast<double>(of_frame.count()) / pipeline.calls_a_frame(task.index())));
}

/// Returns costs by rank for unlike ranks: the planned cost, scaled by the current CPU share and by the mean
/// slow-down observed on the ranks that share the frames.
std::vector<StageCost::OnRank> costs_by_rank(const Pipeline& pipeline, const TaskGraph& planned, TaskId task,
                                             const std::vector<std::size_t>& seen_on,
                                             std::optional<Time> seen, const Shares& shares) {
  std::vector<double> expected;
  for (std::size_t rank = 0; rank < shares.now.size(); ++rank)
    expected.push_back(static_cast<double>(planned_on(pipeline, planned, task, rank).count()) *
                       shares.planned[rank] / shares.now[rank]);
  double mean = 0;
  for (const std::size_t rank : seen_on) mean += expected[rank] / static_cast<double>(seen_on.size());
  const double ratio = seen && mean > 0 ? static_cast<double>(seen->count()) / mean : 1;
  std::vector<StageCost::OnRank> costs;
  for (const double each : expected) costs.push_back({.cost = Time(std::llround(ratio * each))});
  return costs;
}

/// Sets the times of a task on its devices to those of the current plan: a run does not observe them.
void set_device_cost(const Pipeline& pipeline, const Schedule& current, TaskId task, StageCost& cost) {
  for (const Device& device : current.devices)
    for (const DeviceUse& use : device.uses) {
      if (use.task != task) continue;
      const auto of_call = [&](Time of_frame) {
        return Time(
            std::llround(static_cast<double>(of_frame.count()) / pipeline.calls_a_frame(task.index())));
      };
      cost.latency += of_call(use.work + use.transfer);
      cost.interval = std::max(cost.interval, of_call(use.work) / device.units);
    }
}

std::vector<StageCost> costs_of(const Pipeline& pipeline, const logp::ScheduleFile& current,
                                const RunPlan& plan, const Observed& observed, const Shares& shares) {
  const TaskGraph& planned = current.graph;
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const std::vector<std::size_t>& ranks = plan.stages[i].ranks;
    StageCost& cost = costs.emplace_back();
    cost.stage = pipeline.stages[i].name;
    cost.cost = planned_on(pipeline, planned, TaskId(i), ranks.front());
    std::optional<Time> seen = observed.costs[i];
    if (seen) cost.cost = *seen;
    if (!shares.are_whole() || planned.has_work_table())
      cost.by_rank = costs_by_rank(pipeline, planned, TaskId(i), ranks, seen, shares);
    set_device_cost(pipeline, current.schedule, TaskId(i), cost);
    cost.is_whole = std::ranges::count(current.schedule.whole_frames, TaskId(i)) > 0;
  }
  return costs;
}

/// Returns the best plan for the observed costs; nothing without plans.
std::optional<PipelinePlan> best_of(std::vector<PipelinePlan> plans, const PlanGoal& goal) {
  if (plans.empty()) return std::nullopt;
  std::vector<PlanFigures> figures;
  for (const PipelinePlan& plan : plans) figures.push_back(figures_of(plan.summary));
  return std::move(plans[best_plan_of(goal, figures)]);
}

/// Returns true if all stages keep their ranks and distribution of frames: no pause is worthwhile then.
bool moves_nothing(const RunPlan& from, const RunPlan& to) {
  const auto is_shared = [](const PlannedStage& stage) { return stage.ranks.size() > 1; };
  return std::ranges::equal(from.stages, to.stages, {}, &PlannedStage::ranks, &PlannedStage::ranks) &&
         (from.replicas == to.replicas || std::ranges::none_of(to.stages, is_shared));
}

/// Returns true if a stateful kernel would be divided into other tiles.
bool has_other_tiles(const Pipeline& pipeline, const RunPlan& from, const RunPlan& to) {
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    if (keeps_something(pipeline.stages[i]) && from.stages[i].tiles != to.stages[i].tiles) return true;
  return false;
}

bool has_room(const RunPlan& plan) {
  const std::optional<Bytes> free = available_memory();
  const std::vector<std::uint64_t>& bytes = plan.memory_bytes;
  return !free || std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}) <= free->count;
}

/// Plans to which the run can switch.
struct Change {
  const Pipeline& pipeline;
  const RunPlan& current;
  const RanksByStage& places;
  /// The task graph with the observed costs.
  const TaskGraph& graph;
  double least_hz;
  std::size_t cores;
  const std::stop_token& stop;
  std::vector<PipelinePlan> plans = {};

  /// Keeps the plans that are fast enough and leave pinned tasks in place, renumbered if necessary. Returns
  /// true if a plan is fast enough but no renumbering puts the pinned tasks in place.
  bool keep_of(const std::vector<PipelinePlan>& candidates) {
    bool has_misplaced = false;
    for (const PipelinePlan& plan : candidates) {
      if (stop.stop_requested()) return false;
      if (plan.summary.predicted_hz < least_hz) continue;
      std::optional<PipelinePlan> moved = in_place(plan);
      if (!moved)
        has_misplaced = true;
      else if (moved->summary.predicted_hz >= least_hz && has_room(moved->summary) &&
               !has_other_tiles(pipeline, current, moved->summary))
        plans.push_back(*std::move(moved));
    }
    return has_misplaced;
  }

 private:
  [[nodiscard]] std::optional<PipelinePlan> in_place(const PipelinePlan& plan) const try {
    const std::optional<Schedule> schedule = renumbered(plan.schedule(), places);
    if (!schedule) return std::nullopt;
    PipelinePlan moved =
        plan_of_schedule({graph, plan.machine, *schedule}, "the adapted plan", pipeline, cores);
    moved.summary.objective = plan.summary.objective;
    return moved;
  } catch (const ConfigError&) {
    // Its processors differ, or it has groups.
    return std::nullopt;
  }
};

}  // namespace

std::optional<PipelinePlan> adapted_plan(const Pipeline& pipeline, const SharedPlan& current,
                                         const Observed& observed, std::size_t cores,
                                         const std::stop_token& stop) {
  const logp::ScheduleFile file = logp::schedule_from_yaml(current.schedule, "the plan");
  const bool has_groups =
      std::ranges::any_of(current.summary.stages, [](const PlannedStage& stage) { return stage.group > 1; });
  if (has_groups || !file.schedule.hops.empty()) return std::nullopt;
  // Observations of the run are as accurate as those of a trial run.
  const PlanGoal goal = goal_by_trials(pipeline);
  if (is_enough(goal, {.hertz = observed.capacity_hz})) return std::nullopt;
  const RanksByStage places = places_to_keep(pipeline, current.summary);
  const Shares shares(observed, current.summary, cores);
  const std::vector<StageCost> costs = costs_of(pipeline, file, current.summary, observed, shares);
  const std::vector<StageCost> kept = costs_in_places(places, pipeline, current.summary.ranks, costs);
  const bool are_alike = costs.front().by_rank.empty();
  const TaskGraph graph = task_graph_of(pipeline, are_alike ? costs : kept, false);
  Change change{.pipeline = pipeline,
                .current = current.summary,
                .places = places,
                .graph = graph,
                .least_hz = (1 + worthwhile_gain) * observed.capacity_hz,
                .cores = cores,
                .stop = stop};
  // On equal ranks most plans made without pinning only need a renumbering, and all schedulers can make
  // them.
  const bool needs_places =
      !are_alike || change.keep_of(candidate_plans(pipeline, costs, {file.machine, cores}));
  if (needs_places) change.keep_of(candidate_plans(pipeline, kept, {file.machine, cores}));
  if (stop.stop_requested()) return std::nullopt;
  std::optional<PipelinePlan> best = best_of(std::move(change.plans), goal);
  if (best && moves_nothing(current.summary, best->summary)) return std::nullopt;
  if (best && !shares.are_whole()) best->summary.processor_shares = shares.now;
  for (std::size_t i = 0; best && i < places.size(); ++i) {
    best->summary.stages[i].place = current.summary.stages[i].place;
    best->summary.stages[i].may_run_on = current.summary.stages[i].may_run_on;
  }
  return best;
}

}  // namespace takt::pipeline
