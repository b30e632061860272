#include "pipeline/planning/pipeline_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/task_groups.hpp"
#include "logp/diagnostics.hpp"
#include "logp/execution.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/planning/deep_queues.hpp"
#include "pipeline/planning/doubted_links.hpp"
#include "pipeline/planning/frame_order.hpp"
#include "pipeline/planning/group_plan.hpp"
#include "pipeline/planning/one_frame.hpp"
#include "pipeline/planning/own_cores.hpp"
#include "pipeline/planning/planned_latency.hpp"
#include "pipeline/planning/rank_memory.hpp"
#include "pipeline/planning/rare_frames.hpp"
#include "pipeline/planning/receiving_charge.hpp"
#include "pipeline/planning/schedule_fit.hpp"
#include "pipeline/planning/seldom_results.hpp"
#include "pipeline/planning/simpler_plan.hpp"
#include "pipeline/planning/usual_margin.hpp"
#include "pipeline/profiling/cost_noise.hpp"
#include "pipeline/profiling/profile.hpp"
#include "pipeline/program/layout.hpp"
#include "pipeline/tiles/tiling.hpp"
#include "schedulers/fit.hpp"
#include "schedulers/plan/shortfall.hpp"

namespace takt::pipeline {

namespace {

/// Of each scheduler and search, where the objective chooses among many, so that a run starts soon.
constexpr std::uint64_t choice_effort = 5'000;
/// Of the search for what would help.
constexpr std::uint64_t advice_effort = 20'000;

schedulers::Goal goal_of(const Pipeline& pipeline, std::size_t cores) {
  schedulers::Goal goal = pipeline.goal;
  // More than the source gives is of no use, and no frame should wait for later ones.
  if (const auto rate = pipeline.source_rate(); rate && pipeline.leaves_goal_open) {
    goal.rate = {1e9 / rate->hertz};
    goal.objective = schedulers::Objective::latency;
  }
  goal.cores_a_node = cores;
  if (const auto rate = pipeline.source_rate()) goal.frame_interval = 1e9 / rate->hertz;
  goal.options.cost_noise = cost_noise;
  // Tasks that hand each other tiles are measured so; of plans for the frequency a rehearsal has others
  // beside, and where a rate is not held otherwise (plan_for_want_of_rate).
  goal.options.may_interleave = !needs_rate(goal.objective) ||
                                std::ranges::none_of(tile(pipeline, caches_of_this_host()),
                                                     [](const auto& tiles) { return tiles.has_value(); });
  if (!goal.options.effort) goal.choice_effort = choice_effort;
  return goal;
}

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
                      .calls_a_frame = pipeline.calls_a_frame(i)});
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
        // On the ranks where it is: elsewhere it may cost anything.
        double sum = 0;
        for (const std::size_t rank : stages[i].ranks)
          sum += static_cast<double>(graph.work_on(TaskId(i), ProcessorId(rank))->count());
        stages[i].cost_ns = std::llround(sum / static_cast<double>(stages[i].ranks.size()));
      }
  // The graph has means over frames.
  for (PlannedStage& stage : stages)
    stage.cost_ns = std::llround(static_cast<double>(stage.cost_ns) / stage.calls_a_frame);
  return stages;
}

std::string limit_of(const schedulers::Plan& plan, std::size_t cores) {
  const schedulers::Prediction& prediction = plan.prediction;
  if (prediction.cores_are_short)
    return fmt::format("{} busy ranks share {} core{}", plan.evaluation.figures.processors_used, cores,
                       cores == 1 ? "" : "s");
  return fmt::format("rank {} is occupied {} a frame", prediction.busiest.index(),
                     takt::to_string(prediction.occupied));
}

/// What sources and sinks hold beside the frames on their way, which nobody sees in the file.
void note_memory_beside(const Pipeline& pipeline, RunPlan& summary) {
  for (const Stage& stage : pipeline.stages) {
    const Bytes bytes = memory_beside(stage);
    if (bytes.count == 0) continue;
    std::string what = stage.transient
                           ? fmt::format("remembers {} of frames", takt::to_string(stage.transient->before))
                           : fmt::format("has a backlog of {} frames", stage.backlog->depth);
    if (stage.transient && stage.backlog)
      what += fmt::format(" and has a backlog of {}", stage.backlog->depth);
    std::string text = fmt::format("{} {}, {} of memory", stage.name, what, takt::to_string(bytes));
    if (stage.backlog && stage.backlog->policy == sensors::BacklogPolicy::spill)
      text += fmt::format(", and up to {} in {}", takt::to_string(stage.backlog->spill),
                          stage.backlog->folder.string());
    summary.notes.push_back(text);
  }
}

/// Costs that were measured elsewhere may be of other parts of a frame than the pipeline's file asks for.
void note_whole_frames(const Pipeline& pipeline, const std::vector<TaskId>& tasks, RunPlan& summary) {
  if (tasks.empty() || pipeline.deployment.tiles.value_or(1) <= 1) return;
  std::vector<std::string> names;
  for (const TaskId task : tasks) names.push_back(pipeline.stages[task.index()].name);
  summary.notes.push_back(fmt::format(
      "'tiles: {}' does not hold for {}, whose costs were measured on whole frames: profile again",
      *pipeline.deployment.tiles, fmt::join(names, ", ")));
}

/// A schedule knows processors, not cores: where these are fewer, tasks that it has side by side take turns.
void note_shared_cores(std::size_t busy_ranks, std::size_t cores, RunPlan& summary) {
  if (busy_ranks <= cores) return;
  summary.notes.push_back(
      fmt::format("the latency is predicted for ranks with a core each: here {} share {}, and frames take "
                  "longer where more ranks have work at once",
                  busy_ranks, cores));
}

/// Whether the user cannot divide the stage or change what it keeps: sources, sinks, and kernels of the
/// library but those that run the user's own code.
bool is_built_in(const Stage& stage) {
  static const KernelRegistry library = KernelRegistry::with_built_in_kernels();
  if (stage.kind != StageKind::kernel) return true;
  return stage.type != "python" && library.find(stage.type) != nullptr;
}

/// What is to be said, and what would help, where a rate is missed.
void add_notes(const Pipeline& pipeline, PipelinePlan& plan) {
  const schedulers::Goal& goal = pipeline.goal;
  if (!goal.rate) return;
  RunPlan& summary = plan.summary;
  const double required_hz = pipeline.required_rate()->hertz;
  if (plan.plan.objective != goal.objective)
    summary.notes_below.push_back(
        {goal.margin * required_hz,
         fmt::format("no schedule holds {} with a margin of {}: this one is as fast as any that was found",
                     takt::to_string(Frequency{required_hz}), goal.margin)});
  // The cores may be too few although the schedule itself is fast enough: no schedule helps there.
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
    summary.notes_below.push_back({required_hz, "what would help: " + advice});
}

/// Whether all ranks do. They then read a source's frames where they lie, if it lends several.
bool share_memory(const Pipeline& pipeline, const logp::Machine& machine) {
  return pipeline.deployment.transport == Transport::automatic &&
         machine.platform().cluster_of_node.size() == 1;
}

/// RunPlan::frames_held of a rank with this program.
std::uint64_t frames_held(const Pipeline& pipeline, const RankProgram& program, bool shares_memory) {
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  for (const auto* channels : {&program.sends, &program.receives})
    for (const ChannelPlan& channel : *channels) {
      const std::size_t depth = shares_memory ? ring_depth(pipeline, channel, program.instances)
                                              : window_depth(pipeline.deployment);
      fewest = std::min<std::uint64_t>(fewest, depth * program.instances);
    }
  return fewest;
}

PipelinePlan with_summary(const Pipeline& pipeline, TaskGraph graph, logp::Machine machine,
                          schedulers::Plan made, std::size_t cores) {
  PipelinePlan plan{std::move(graph), std::move(machine), std::move(made), {}};
  const Schedule& schedule = plan.schedule();
  const ScheduleMetrics& metrics = plan.plan.evaluation.metrics;
  // Stages may take no time that can be measured.
  const double period = std::max(plan.plan.prediction.period, 1.0);
  RunPlan& summary = plan.summary;
  summary.pipeline = pipeline.name;
  summary.scheduler = schedule.scheduler;
  summary.objective = name_of(plan.plan.objective);
  summary.ranks = plan.machine.processor_count();
  summary.replicas = schedule.replicas;
  summary.stages = planned_stages(pipeline, plan.graph, schedule);
  summary.predicted_hz = 1e9 / period;
  set_latencies(paced_latencies(pipeline, plan.graph, plan.machine, schedule), summary);
  count_seldom_calls(summary);
  summary.limit = limit_of(plan.plan, cores);
  if (const std::optional<Frequency> rate = pipeline.required_rate()) summary.required_hz = rate->hertz;
  for (const Occupancy& occupancy : metrics.occupancy)
    summary.predicted_busy.push_back(static_cast<double>((occupancy.compute + occupancy.overhead).count()) /
                                     metrics.replicas / period);
  count_uneven_calls(summary);
  const Execution execution = planned_execution(pipeline, plan.graph, plan.machine, schedule);
  for (std::size_t p = 0; p < summary.ranks; ++p) {
    const RankProgram program = execution.program_of(ProcessorId(p));
    summary.memory_bytes.push_back(memory_of(execution.pipeline, program).count);
    summary.frames_held.push_back(
        frames_held(execution.pipeline, program, share_memory(pipeline, plan.machine)));
    for (const TiledSteps& steps : program.tiled)
      for (const TileGroup::Member& member : steps.group.members)
        summary.stages[execution.roles[member.stage].stage].tiles = member.input.tiles;
  }
  count_long_calls(summary);
  note_shared_cores(plan.plan.evaluation.figures.processors_used,
                    cores * plan.machine.platform().cluster_of_node.size(), plan.summary);
  note_memory_beside(pipeline, plan.summary);
  note_short_queues(pipeline, plan.summary);
  add_notes(pipeline, plan);
  return plan;
}

std::vector<StageCost> without_groups(std::vector<StageCost> costs) {
  for (StageCost& cost : costs) cost.groups.clear();
  return costs;
}

bool copies_frames(const Pipeline& pipeline, const TaskGraph& graph, const Schedule& schedule) {
  if (schedule.replicas > 1 || runs_in_groups(graph, schedule)) return true;
  for (const auto& operations : schedule.processors)
    for (const Operation& operation : operations) {
      if (operation.kind != OperationKind::send) continue;
      for (const DatumId datum : schedule.payload(operation.message()))
        if (pipeline.stages[graph.datum_task(datum).index()].kind == StageKind::source) return true;
    }
  return false;
}

struct PlannedGraph {
  TaskGraph graph;
  schedulers::Plan plan;
  /// What the graph's sources are charged for receiving.
  std::vector<Time> receiving = {};
  /// Where it is not the measured one.
  std::optional<logp::Machine> machine = {};
  /// The fastest one, should the one that was asked for not be seen to hold the rate.
  bool is_for_want_of_rate = false;
};

/// With the copies of sources' frames where it needs them.
PlannedGraph best_plan(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                       const logp::Machine& machine, const schedulers::Goal& goal) {
  const bool may_copy = !share_memory(pipeline, machine);
  TaskGraph graph = task_graph_of(pipeline, costs, may_copy);
  const auto plan_of = [&](const TaskGraph& each) {
    return one_frame_where_as_good(pipeline, each, machine, goal, make_plan(each, machine, goal));
  };
  schedulers::Plan plan = plan_of(graph);
  if (may_copy && !copies_frames(pipeline, graph, plan.evaluation.schedule)) {
    TaskGraph spared = task_graph_of(pipeline, costs, false);
    schedulers::Plan without = plan_of(spared);
    if (!copies_frames(pipeline, spared, without.evaluation.schedule))
      return {std::move(spared), std::move(without)};
  }
  return {std::move(graph), std::move(plan)};
}

/// On the cores there are, where nobody says who plans.
PlannedGraph best_plan_on_cores(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                const logp::Machine& machine, const schedulers::Goal& goal) {
  PlannedGraph planned = best_plan(pipeline, costs, machine, goal);
  if (!goal.scheduler.empty()) return planned;
  TaskGraph charged = task_graph_of(pipeline, costs, !share_memory(pipeline, machine));
  auto own = plan_on_own_cores(charged, machine, goal, planned.plan);
  if (!own) return planned;
  schedulers::Plan chosen = one_frame_where_as_good(pipeline, charged, machine, goal, *std::move(own));
  return {std::move(charged), std::move(chosen)};
}

/// For links that were measured in a bad moment: nothing where one rank is preferred even to what ten times
/// quicker ones promise.
std::optional<PlannedGraph> plan_for_quicker_links(const Pipeline& pipeline,
                                                   const std::vector<StageCost>& costs,
                                                   const logp::Machine& machine,
                                                   const schedulers::Goal& goal) {
  logp::Machine quicker = with_quicker_links(machine);
  PlannedGraph planned = best_plan(pipeline, costs, quicker, goal);
  const std::optional<SimplerPlan> single = one_rank(planned.graph, quicker, goal, planned.plan);
  if (!single || single->is_preferred) return std::nullopt;
  planned.machine = std::move(quicker);
  return planned;
}

/// The fastest plan, for a goal that needs a rate: costs know little of ranks that share cores, and a plan
/// for the least latency may hold it by costs alone. Nothing where it promises hardly more, unless such ranks
/// are the reason.
std::optional<PlannedGraph> plan_for_want_of_rate(const Pipeline& pipeline,
                                                  const std::vector<StageCost>& costs,
                                                  const logp::Machine& machine, const schedulers::Goal& goal,
                                                  const schedulers::Plan& plan, std::size_t cores) {
  schedulers::Goal fastest = goal;
  fastest.objective = schedulers::Objective::frequency;
  fastest.options.may_interleave = true;
  if (!fastest.options.effort) fastest.options.effort = choice_effort;
  PlannedGraph planned = best_plan(pipeline, costs, machine, fastest);
  TaskGraph charged = task_graph_of(pipeline, costs, !share_memory(pipeline, machine));
  // Several frames of ranks that take turns are no faster, and take long to be seen.
  schedulers::Goal at_any_rate = fastest;
  at_any_rate.rate.reset();
  if (auto own = plan_on_own_cores(charged, machine, at_any_rate, planned.plan, cost_noise)) {
    schedulers::Plan judged =
        schedulers::plan_of(charged, machine, fastest, std::move(own->evaluation.schedule));
    planned = {std::move(charged), std::move(judged)};
  }
  const bool shares_cores = plan.evaluation.figures.processors_used > cores;
  if (!shares_cores && planned.plan.prediction.period * (1 + cost_noise) >= plan.prediction.period)
    return std::nullopt;
  const Schedule &asked_for = plan.evaluation.schedule, &fast = planned.plan.evaluation.schedule;
  if (fast.processors == asked_for.processors && fast.messages == asked_for.messages) return std::nullopt;
  planned.is_for_want_of_rate = true;
  return planned;
}

/// Whether processors do the same in the same order, whenever.
bool are_of_one_order(const Schedule& a, const Schedule& b) {
  const auto is_same = [](const Operation& one, const Operation& other) {
    return one.kind == other.kind && one.subject == other.subject && one.instance == other.instance;
  };
  return a.replicas == b.replicas &&
         std::ranges::equal(a.processors, b.processors, [&](const auto& one, const auto& other) {
           return std::ranges::equal(one, other, is_same);
         });
}

/// For a goal of little latency: what has the least of it where large messages are dearer than they were
/// measured, and so sends few bytes. It need not have the usual margin
/// (usual_margin.hpp). Nothing where that is the same plan.
std::optional<PlannedGraph> plan_for_dearer_links(const Pipeline& pipeline,
                                                  const std::vector<StageCost>& costs,
                                                  const logp::Machine& machine, const schedulers::Goal& goal,
                                                  const schedulers::Plan& plan) {
  if (goal.objective != schedulers::Objective::latency || machine.processor_count() == 1) return std::nullopt;
  schedulers::Goal bare = goal;
  if (has_usual_margin(goal)) bare.margin = 1;
  PlannedGraph planned = best_plan_on_cores(pipeline, costs, with_dearer_links(machine), bare);
  if (!planned.plan.holds_margin) return std::nullopt;
  Schedule schedule = std::move(planned.plan.evaluation.schedule);
  schedule.least_repetition = Time{0};
  logp::execute(planned.graph, machine, logp::Start::late, schedule);
  if (are_of_one_order(schedule, plan.evaluation.schedule)) return std::nullopt;
  planned.plan = schedulers::plan_of(planned.graph, machine, bare, std::move(schedule));
  planned.plan.objective = goal.objective;
  return planned;
}

void expect_valid(const schedulers::Plan& plan) {
  const auto& findings = plan.evaluation.findings;
  if (findings.empty()) return;
  throw std::logic_error(fmt::format("the schedule of '{}' is not valid: {}: {}",
                                     plan.evaluation.schedule.scheduler, findings.front().rule,
                                     findings.front().message));
}

/// Puts the fastest plan first where it is another one by what schedules do not know of calls that come
/// seldom.
void prefer_what_seldom_calls_leave_fastest(PlanCandidates& candidates) {
  std::vector<PipelinePlan>& plans = candidates.plans;
  const PipelinePlan& first = plans.front();
  constexpr double rounding = 1e-9;
  if (first.summary.predicted_hz >= 1e9 / first.plan.prediction.period * (1 - rounding)) return;
  const auto fastest =
      std::ranges::max_element(plans, {}, [](const PipelinePlan& plan) { return plan.summary.predicted_hz; });
  if (fastest == plans.begin()) return;
  std::swap(plans.front(), *fastest);
  candidates.why.clear();
}

}  // namespace

PlanCandidates candidate_plans(const Pipeline& given, const std::vector<StageCost>& measured,
                               const Surroundings& surroundings) {
  const std::vector<TaskId> whole_frames = tasks_on_whole_frames(measured);
  Pipeline pipeline = given;
  pipeline.keep_whole(whole_frames);
  const schedulers::Goal goal = goal_of(pipeline, surroundings.cores);
  const logp::Machine& machine = surroundings.machine;
  check_ranks(pipeline, machine);
  const std::size_t cores = surroundings.cores * machine.platform().cluster_of_node.size();
  const std::vector<Time> receiving = charge_for_receiving(measured, machine.processor_count(), cores);
  const std::vector<StageCost> costs = with_receiving(measured, receiving);
  const bool may_copy = !share_memory(pipeline, machine);
  // Groups of ranks are for whoever names a scheduler, or where they pay.
  const std::vector<StageCost> plain = without_groups(costs);
  const std::vector<StageCost>& considered = goal.scheduler.empty() ? plain : costs;
  std::vector<PlannedGraph> candidates{best_plan_on_cores(pipeline, considered, machine, goal)};
  candidates.front().receiving = receiving;
  std::string why;
  if (goal.scheduler.empty() && needs_rate(goal.objective)) {
    const auto add = [&](std::optional<PlannedGraph> planned) {
      if (!planned) return;
      planned->receiving = receiving;
      candidates.push_back(*std::move(planned));
    };
    const schedulers::Plan plan = candidates.front().plan;
    add(plan_for_want_of_rate(pipeline, considered, machine, goal, plan, cores));
    add(plan_for_dearer_links(pipeline, considered, machine, goal, plan));
  }
  // Whoever names a scheduler, or a rate, gets what was asked for.
  if (pipeline.leaves_goal_open && goal.objective == schedulers::Objective::frequency && !goal.rate) {
    const auto add = [&](const TaskGraph& graph, SimplerPlan simpler, std::vector<Time> charge) {
      candidates.push_back({graph, std::move(simpler.plan), std::move(charge)});
      if (!simpler.is_preferred) return;
      std::swap(candidates.front(), candidates.back());
      why = std::move(simpler.why);
    };
    const PlannedGraph& fastest = candidates.front();
    std::optional<SimplerPlan> chain;
    if (const auto cache = surroundings.cache)
      chain = chain_within_cache(pipeline, fastest.graph, machine, goal, fastest.plan, *cache);
    if (!chain) chain = chain_for_seldom_calls(pipeline, fastest.graph, machine, goal, fastest.plan);
    if (chain) add(TaskGraph(fastest.graph), std::move(*chain), receiving);
    std::vector<Time> of_one = charge_for_receiving(measured, 1, cores);
    const TaskGraph spared = task_graph_of(pipeline, with_receiving(without_groups(measured), of_one), false);
    if (auto single = one_rank(spared, machine, goal, candidates.front().plan))
      add(spared, std::move(*single), std::move(of_one));
    else if (surroundings.links_are_doubtful && machine.processor_count() > 1)
      if (auto several = plan_for_quicker_links(pipeline, considered, machine, goal)) {
        several->receiving = receiving;
        candidates.push_back(std::move(*several));
      }
  }
  if (goal.scheduler.empty()) {
    TaskGraph moldable = task_graph_of(pipeline, costs, may_copy);
    const schedulers::Plan& plan = candidates.front().plan;
    if (auto groups = plan_in_groups(moldable, machine, goal, plan)) {
      const auto describe = [](const schedulers::Plan& each) {
        return fmt::format("{} and a latency of {}", takt::to_string(Frequency{1e9 / each.prediction.period}),
                           takt::to_string(each.evaluation.metrics.latency));
      };
      why = fmt::format(
          "groups of ranks work on a frame together: {} are predicted, with one rank for each task {}",
          describe(*groups), describe(plan));
      candidates.assign(1, {std::move(moldable), std::move(*groups), receiving});
    }
  }
  PlanCandidates result{.plans = {}, .why = std::move(why)};
  for (PlannedGraph& candidate : candidates) {
    expect_valid(candidate.plan);
    if (auto ordered = in_order_of_frames(candidate.graph, candidate.machine.value_or(machine), goal,
                                          candidate.plan, tile(pipeline, caches_of_this_host())))
      candidate.plan = *std::move(ordered);
    if (candidate.is_for_want_of_rate) candidate.plan.objective = goal.objective;
    candidate.plan.evaluation.schedule.whole_frames = whole_frames;
    const bool is_for_quicker_links = candidate.machine.has_value();
    PipelinePlan& plan = result.plans.emplace_back(
        with_summary(pipeline, std::move(candidate.graph), std::move(candidate.machine).value_or(machine),
                     std::move(candidate.plan), surroundings.cores));
    count_results(measured, plan.summary);
    note_receiving(candidate.receiving, plan.summary);
    note_whole_frames(given, whole_frames, plan.summary);
    note_rare_calls(measured, plan.summary);
    if (is_for_quicker_links)
      plan.summary.notes.push_back(fmt::format(
          "planned as if messages cost {} times less than was measured before the run", doubt_of_links));
  }
  if (!needs_rate(goal.objective)) prefer_what_seldom_calls_leave_fastest(result);
  return result;
}

PipelinePlan plan_pipeline(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                           const Surroundings& surroundings) {
  PlanCandidates candidates = candidate_plans(pipeline, costs, surroundings);
  PipelinePlan plan = std::move(candidates.plans.front());
  if (!candidates.why.empty()) plan.summary.notes.push_back(std::move(candidates.why));
  return plan;
}

std::optional<RateToHold> rate_to_hold(const Pipeline& pipeline) {
  const schedulers::Goal goal = goal_of(pipeline, 1);
  if (!needs_rate(goal.objective) || !goal.rate) return std::nullopt;
  constexpr double least_room = 1.1;
  const double hertz = 1e9 / goal.rate->period;
  return RateToHold{.enough = {least_room * hertz},
                    .ample = {std::max(least_room, goal.margin) * hertz},
                    .with_least_latency = goal.objective == schedulers::Objective::latency};
}

std::string to_yaml(const PipelinePlan& plan) {
  return logp::schedule_to_yaml(plan.graph, plan.machine, plan.schedule());
}

PipelinePlan plan_from_yaml(const std::string& text, const std::string& file, const Pipeline& pipeline,
                            std::size_t cores) {
  logp::ScheduleFile read = logp::schedule_from_yaml(text, file);
  check_fit(pipeline, read.graph, read.machine, read.schedule, file);
  schedulers::Plan plan =
      schedulers::plan_of(read.graph, read.machine, goal_of(pipeline, cores), std::move(read.schedule));
  PipelinePlan result =
      with_summary(pipeline, std::move(read.graph), std::move(read.machine), std::move(plan), cores);
  result.summary.objective = "given";
  return result;
}

}  // namespace takt::pipeline
