#include "pipeline/planning/candidates.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/devices.hpp"
#include "core/error.hpp"
#include "core/graphs/task_groups.hpp"
#include "logp/execution.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/costs/profile.hpp"
#include "pipeline/planning/device_charge.hpp"
#include "pipeline/planning/frame_order.hpp"
#include "pipeline/planning/rank_memory.hpp"
#include "pipeline/planning/receiving_charge.hpp"
#include "pipeline/planning/schedule_fit.hpp"
#include "pipeline/planning/scheduling_goal.hpp"
#include "pipeline/planning/travelling.hpp"
#include "pipeline/planning/verdict.hpp"
#include "pipeline/tiles/tiling.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/plan/portfolio.hpp"
#include "schedulers/search/processor_selections.hpp"

namespace takt::pipeline {

namespace {

/// Notes that imported costs may be of other tiles than the pipeline's file requests.
void note_whole_frames(const Pipeline& pipeline, const std::vector<TaskId>& tasks, RunPlan& summary) {
  if (tasks.empty() || pipeline.deployment.tiles.value_or(1) <= 1) return;
  std::vector<std::string> names;
  for (const TaskId task : tasks) names.push_back(pipeline.stages[task.index()].name);
  summary.notes.push_back(
      fmt::format("'tiles: {}' does not match {}, whose costs were measured on whole frames: profile again",
                  *pipeline.deployment.tiles, fmt::join(names, ", ")));
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

/// A plan with its task graph.
struct PlannedGraph {
  TaskGraph graph;
  schedulers::Plan plan;
  /// Cost of receiving that the graph's sources include.
  std::vector<Time> receiving = {};
};

/// Returns true if all processors have the same operations in the same order, at any times. Pipelined
/// schedules differ from all others: their offsets depend on the times.
bool are_of_one_order(const Schedule& a, const Schedule& b) {
  const auto is_same = [](const Operation& one, const Operation& other) {
    return one.kind == other.kind && one.subject == other.subject && one.instance == other.instance;
  };
  return a.replicas == b.replicas && !a.repetition && !b.repetition &&
         std::ranges::equal(a.processors, b.processors, [&](const auto& one, const auto& other) {
           return std::ranges::equal(one, other, is_same);
         });
}

logp::Cost scaled(const logp::Cost& cost, double factor) {
  std::vector<logp::Cost::Segment> segments = cost.segments();
  for (logp::Cost::Segment& segment : segments) {
    segment.constant *= factor;
    segment.per_byte *= factor;
  }
  return logp::Cost(std::move(segments));
}

logp::LinkCosts scaled(const logp::LinkCosts& costs, double factor) {
  return {.latency = scaled(costs.latency, factor),
          .send_overhead = scaled(costs.send_overhead, factor),
          .receive_overhead = scaled(costs.receive_overhead, factor),
          .send_gap = scaled(costs.send_gap, factor),
          .receive_gap = scaled(costs.receive_gap, factor),
          .backbone = scaled(costs.backbone, factor)};
}

/// Returns the machine with all costs of messages multiplied by the factor.
logp::Machine with_scaled_links(const logp::Machine& machine, double factor) {
  std::array<logp::LinkCosts, level_count> levels = machine.level_costs();
  for (logp::LinkCosts& costs : levels) costs = scaled(costs, factor);
  std::vector<logp::PairCosts> pairs = machine.pair_costs();
  for (logp::PairCosts& pair : pairs) pair.costs = scaled(pair.costs, factor);
  std::vector<logp::ClusterCosts> clusters = machine.cluster_costs();
  for (logp::ClusterCosts& pair : clusters) pair.costs = scaled(pair.costs, factor);
  return logp::Machine(machine.platform(), levels, std::move(pairs), std::move(clusters));
}

/// Returns by node the number of ranks with work.
std::vector<std::size_t> busy_ranks(const logp::Machine& machine, const Schedule& schedule) {
  std::vector<std::size_t> number(machine.platform().cluster_of_node.size());
  for (std::size_t p = 0; p < machine.processor_count(); ++p)
    if (!schedule.processors[p].empty()) ++number[machine.platform().node_of[p]];
  return number;
}

/// Returns the first `cores` ranks of each node.
std::vector<ProcessorId> ranks_within(const logp::Machine& machine, std::size_t cores) {
  std::vector<std::size_t> taken(machine.platform().cluster_of_node.size());
  std::vector<ProcessorId> ranks;
  for (std::size_t p = 0; p < machine.processor_count(); ++p)
    if (taken[machine.platform().node_of[p]]++ < cores) ranks.emplace_back(p);
  return ranks;
}

/// Makes the candidates of one pipeline from one set of costs.
class Planner {
 public:
  Planner(const Pipeline& pipeline, const std::vector<StageCost>& measured, const Surroundings& surroundings)
      : pipeline_(pipeline),
        machine_(surroundings.machine),
        cores_(surroundings.cores),
        links_are_measured_(surroundings.links_are_measured),
        surroundings_(surroundings),
        goal_(scheduling_goal(pipeline, cores_)),
        costs_(measured),
        plain_(without_groups(measured)) {}

  /// In the order of preference.
  std::vector<PlannedGraph> all() {
    if (!goal_.scheduler.empty()) {
      add(best(costs_, machine_, goal_, machine_.processor_count()));
      return std::move(plans_);
    }
    PlannedGraph goals = best(plain_, machine_, goal_, machine_.processor_count());
    const bool wants_throughput = !needs_rate(goal_.objective);
    if (wants_throughput) {
      add(of_scheduler("single", 1));
      add(chain());
    }
    add(within_cores(goals.plan.evaluation.schedule, goal_));
    add(std::move(goals));
    add(groups());
    if (wants_throughput) add(pipelined());
    add(travelling());
    add(other_links());
    if (!wants_throughput) {
      add(of_scheduler("single", 1));
      add(fastest());
      add(pipelined());
    }
    return std::move(plans_);
  }

  PlannedGraph one_rank() { return of_scheduler("single", 1).value(); }

 private:
  void add(std::optional<PlannedGraph> planned) {
    if (!planned || plans_.size() == most_candidates) return;
    const bool is_known = std::ranges::any_of(plans_, [&](const PlannedGraph& other) {
      return are_of_one_order(other.plan.evaluation.schedule, planned->plan.evaluation.schedule);
    });
    if (!is_known) plans_.push_back(*std::move(planned));
  }

  [[nodiscard]] std::vector<Time> receiving(std::size_t ranks) const {
    return charge_for_receiving(costs_, ranks, cores_ * machine_.platform().cluster_of_node.size());
  }

  /// Includes the copies of sources' frames where the plan needs them. It plans with their cost first; if
  /// that plan needs no copies, it plans again without their cost and keeps that plan unless it needs them.
  [[nodiscard]] PlannedGraph best(const std::vector<StageCost>& costs, const logp::Machine& machine,
                                  const schedulers::Goal& goal, std::size_t ranks) const {
    const std::vector<Time> receiving = this->receiving(ranks);
    const std::vector<StageCost> charged = with_receiving(costs, receiving);
    const bool may_copy = !share_memory(pipeline_, machine) && ranks > 1;
    const auto plan_of = [&](const TaskGraph& graph) {
      return of_one_frame_where_as_good(graph, machine, goal, make_plan(graph, machine, goal));
    };
    TaskGraph graph = task_graph_of(pipeline_, charged, may_copy);
    schedulers::Plan plan = plan_of(graph);
    if (may_copy && !copies_frames(pipeline_, graph, plan.evaluation.schedule)) {
      TaskGraph spared = task_graph_of(pipeline_, charged, false);
      schedulers::Plan without = plan_of(spared);
      if (!copies_frames(pipeline_, spared, without.evaluation.schedule))
        return {std::move(spared), std::move(without), receiving};
    }
    return {std::move(graph), std::move(plan), receiving};
  }

  /// Prefers one frame per iteration if that satisfies the goal and its latency is equal within the accuracy
  /// of costs: frames of one iteration wait for each other.
  [[nodiscard]] static schedulers::Plan of_one_frame_where_as_good(const TaskGraph& graph,
                                                                   const logp::Machine& machine,
                                                                   const schedulers::Goal& goal,
                                                                   schedulers::Plan plan) {
    if (!plan.of_one_frame) return plan;
    schedulers::Plan simple = schedulers::plan_of(graph, machine, goal, *std::move(plan.of_one_frame));
    plan.of_one_frame.reset();
    const ScheduleMetrics &one = simple.evaluation.metrics, &several = plan.evaluation.metrics;
    const auto is_late = [&](const ScheduleMetrics& metrics) {
      return goal.latency_limit && metrics.latency > *goal.latency_limit;
    };
    const bool is_as_good = simple.holds_rate >= plan.holds_rate &&
                            simple.holds_margin >= plan.holds_margin &&
                            (goal.objective != schedulers::Objective::processors ||
                             one.processors_used <= several.processors_used) &&
                            (!is_late(one) || is_late(several)) &&
                            static_cast<double>(one.latency.count()) <=
                                (1 + accuracy_of_costs) * static_cast<double>(several.latency.count());
    if (!is_as_good) return plan;
    simple.objective = plan.objective;
    simple.fewest_is_proven = plan.fewest_is_proven;
    simple.evaluation.figures.raise_bound(plan.evaluation.figures.bound, plan.evaluation.figures.bound_among);
    return simple;
  }

  /// Returns nothing if the scheduler does not support this machine.
  [[nodiscard]] std::optional<PlannedGraph> of_scheduler(const char* name, std::size_t ranks) const try {
    schedulers::Goal goal = goal_;
    goal.objective = schedulers::Objective::frequency;
    goal.scheduler = name;
    PlannedGraph planned = best(plain_, machine_, goal, ranks);
    planned.plan.objective = goal_.objective;
    return planned;
  } catch (const ConfigError&) {
    return std::nullopt;
  }

  /// Contiguous stages on at most as many ranks of a node as it has cores.
  [[nodiscard]] std::optional<PlannedGraph> chain() const {
    schedulers::Goal goal = goal_;
    goal.scheduler = "chains";
    std::optional<PlannedGraph> planned = of_scheduler("chains", machine_.processor_count());
    if (planned)
      if (auto own = within_cores(planned->plan.evaluation.schedule, goal)) return own;
    return planned;
  }

  /// Plans for as many ranks of each node as it has cores, if the schedule has more busy ones: costs do not
  /// model the waits of oversubscribed ranks.
  [[nodiscard]] std::optional<PlannedGraph> within_cores(const Schedule& schedule,
                                                         const schedulers::Goal& goal) const {
    if (std::ranges::max(busy_ranks(machine_, schedule)) <= cores_) return std::nullopt;
    const std::vector<ProcessorId> ranks = ranks_within(machine_, cores_);
    const std::vector<Time> receiving = this->receiving(ranks.size());
    TaskGraph graph =
        task_graph_of(pipeline_, with_receiving(plain_, receiving), !share_memory(pipeline_, machine_));
    schedulers::Plan fewer =
        make_plan(schedulers::for_processors(graph, ranks), machine_.subset(ranks), goal);
    const auto on_all_ranks = [&](Schedule part) {
      return schedulers::on_whole_machine(std::move(part), ranks, machine_.processor_count());
    };
    schedulers::Plan wide =
        schedulers::plan_of(graph, machine_, goal, on_all_ranks(std::move(fewer.evaluation.schedule)));
    wide.objective = fewer.objective;
    if (fewer.of_one_frame) wide.of_one_frame = on_all_ranks(*std::move(fewer.of_one_frame));
    wide = of_one_frame_where_as_good(graph, machine_, goal, std::move(wide));
    return PlannedGraph{std::move(graph), std::move(wide), receiving};
  }

  /// Returns nothing if no task is moldable, or groups are not supported on this machine. For the highest
  /// throughput also tries pipelined schedules.
  [[nodiscard]] std::optional<PlannedGraph> groups() const try {
    if (std::ranges::all_of(costs_, [](const StageCost& cost) { return cost.groups.empty(); }))
      return std::nullopt;
    schedulers::Goal goal = goal_;
    if (needs_rate(goal.objective)) return in_groups(goal);
    goal.scheduler = "mixed_fo";
    std::optional<PlannedGraph> planned = in_groups(goal);
    goal.scheduler = "optfo";
    goal.options.frames = schedulers::FrameClass::pipelined;
    if (!goal.options.effort) goal.options.effort = goal_.choice_effort;
    std::optional<PlannedGraph> pipelined = in_groups(goal);
    if (!planned || (pipelined && pipelined->plan.prediction.period < planned->plan.prediction.period))
      return pipelined;
    return planned;
  } catch (const ConfigError&) {
    return std::nullopt;
  }
  [[nodiscard]] std::optional<PlannedGraph> in_groups(const schedulers::Goal& goal) const {
    PlannedGraph planned = best(costs_, machine_, goal, machine_.processor_count());
    if (!runs_in_groups(planned.graph, planned.plan.evaluation.schedule)) return std::nullopt;
    return planned;
  }

  /// The plan for the goal with states that travel with the frames. Returns nothing if none does.
  [[nodiscard]] std::optional<PlannedGraph> travelling() const {
    const std::optional<Pipeline> free = with_free_states(pipeline_, machine_);
    if (!free) return std::nullopt;
    const std::vector<StageCost> costs = with_state_transfers(pipeline_, plain_, machine_);
    const Planner planner(*free, costs, surroundings_);
    PlannedGraph planned = planner.best(costs, machine_, goal_, machine_.processor_count());
    if (auto own = planner.within_cores(planned.plan.evaluation.schedule, goal_)) planned = *std::move(own);
    if (auto ordered = in_order_of_frames(planned.graph, machine_, goal_, planned.plan,
                                          tile(pipeline_, cache_of_a_core())))
      planned.plan = *std::move(ordered);
    std::optional<Schedule> schedule =
        with_travelling(pipeline_, machine_, std::move(planned.plan.evaluation.schedule));
    if (!schedule) return std::nullopt;
    planned.graph = task_graph_of(pipeline_, with_receiving(costs, planned.receiving), false);
    planned.plan = schedulers::plan_of(planned.graph, machine_, goal_, *std::move(schedule));
    if (!planned.plan.evaluation.findings.empty()) return std::nullopt;
    return planned;
  }

  /// Its summary uses the measured links.
  [[nodiscard]] std::optional<PlannedGraph> other_links() const {
    const bool wants_throughput = !needs_rate(goal_.objective);
    if (!links_are_measured_ || machine_.processor_count() == 1 ||
        goal_.objective == schedulers::Objective::processors)
      return std::nullopt;
    const logp::Machine other =
        with_scaled_links(machine_, wants_throughput ? optimistic_links : pessimistic_links);
    PlannedGraph planned = best(plain_, other, goal_, machine_.processor_count());
    Schedule schedule = std::move(planned.plan.evaluation.schedule);
    // The times of a pipelined schedule, and so its offsets, are those of the other links.
    if (schedule.repetition) return std::nullopt;
    schedule.least_repetition = Time{0};
    logp::execute(planned.graph, machine_, logp::Start::late, schedule);
    planned.plan = schedulers::plan_of(planned.graph, machine_, goal_, std::move(schedule));
    planned.plan.objective = goal_.objective;
    return planned;
  }

  [[nodiscard]] std::optional<PlannedGraph> fastest() const {
    schedulers::Goal goal = goal_;
    goal.objective = schedulers::Objective::frequency;
    goal.options.may_interleave = true;
    if (!goal.options.effort) goal.options.effort = goal_.choice_effort;
    PlannedGraph planned = best(plain_, machine_, goal, machine_.processor_count());
    if (std::optional<PlannedGraph> own = within_cores(planned.plan.evaluation.schedule, goal))
      planned = *std::move(own);
    planned.plan.objective = goal_.objective;
    return planned;
  }

  /// The highest throughput of a pipelined schedule; nothing if it is not above that of other schedules.
  [[nodiscard]] std::optional<PlannedGraph> pipelined() const {
    schedulers::Goal goal = goal_;
    goal.objective = schedulers::Objective::frequency;
    goal.options.frames = schedulers::FrameClass::pipelined;
    if (!goal.options.effort) goal.options.effort = goal_.choice_effort;
    PlannedGraph planned = best(plain_, machine_, goal, machine_.processor_count());
    if (std::optional<PlannedGraph> own = within_cores(planned.plan.evaluation.schedule, goal))
      planned = *std::move(own);
    if (!planned.plan.evaluation.schedule.repetition) return std::nullopt;
    planned.plan.objective = goal_.objective;
    return planned;
  }

  const Pipeline& pipeline_;
  const logp::Machine& machine_;
  std::size_t cores_;
  bool links_are_measured_;
  const Surroundings& surroundings_;
  schedulers::Goal goal_;
  const std::vector<StageCost>& costs_;
  std::vector<StageCost> plain_;
  std::vector<PlannedGraph> plans_;
};

void expect_valid(const schedulers::Plan& plan) {
  const auto& findings = plan.evaluation.findings;
  if (findings.empty()) return;
  throw std::logic_error(fmt::format("the schedule of '{}' is not valid: {}: {}",
                                     plan.evaluation.schedule.scheduler, findings.front().rule,
                                     findings.front().message));
}

/// Adds the devices of asynchronous tasks, which schedulers do not know: no choice of ranks changes their
/// load.
void add_devices(const Pipeline& pipeline, const std::vector<StageCost>& measured,
                 const logp::Machine& machine, const schedulers::Goal& goal, PlannedGraph& planned) {
  std::vector<Device> devices = devices_of(pipeline, measured);
  if (devices.empty()) return;
  schedulers::Plan plan =
      schedulers::plan_of(planned.graph, machine, goal,
                          with_devices(std::move(planned.plan.evaluation.schedule), std::move(devices)));
  plan.objective = planned.plan.objective;
  plan.fewest_is_proven = planned.plan.fewest_is_proven;
  plan.choice = std::move(planned.plan.choice);
  const schedulers::Figures& figures = planned.plan.evaluation.figures;
  plan.evaluation.figures.raise_bound(figures.bound, figures.bound_among);
  planned.plan = std::move(plan);
  expect_valid(planned.plan);
}

PipelinePlan finished(const Pipeline& given, const Pipeline& pipeline, const std::vector<StageCost>& measured,
                      const Surroundings& surroundings, PlannedGraph planned) {
  const std::vector<TaskId> whole_frames = tasks_on_whole_frames(measured);
  expect_valid(planned.plan);
  const schedulers::Goal goal = scheduling_goal(pipeline, surroundings.cores);
  if (auto ordered = in_order_of_frames(planned.graph, surroundings.machine, goal, planned.plan,
                                        tile(pipeline, cache_of_a_core())))
    planned.plan = *std::move(ordered);
  planned.plan.evaluation.schedule.whole_frames = whole_frames;
  add_devices(pipeline, measured, surroundings.machine, goal, planned);
  PipelinePlan plan = described(pipeline, std::move(planned.graph), surroundings.machine,
                                std::move(planned.plan), surroundings.cores);
  note_receiving(planned.receiving, plan.summary);
  charge_devices(pipeline, measured, plan.schedule(), plan.summary);
  note_whole_frames(given, whole_frames, plan.summary);
  return plan;
}

std::vector<PlanFigures> all_figures(const std::vector<PipelinePlan>& plans) {
  std::vector<PlanFigures> figures;
  for (const PipelinePlan& plan : plans) figures.push_back(figures_of(plan.summary));
  return figures;
}

}  // namespace

std::vector<PipelinePlan> candidate_plans(const Pipeline& given, const std::vector<StageCost>& measured,
                                          const Surroundings& surroundings) {
  Pipeline pipeline = given;
  pipeline.keep_whole(tasks_on_whole_frames(measured));
  check_ranks(pipeline, surroundings.machine);
  std::vector<PipelinePlan> plans;
  for (PlannedGraph& planned : Planner(pipeline, measured, surroundings).all())
    plans.push_back(finished(given, pipeline, measured, surroundings, std::move(planned)));
  return plans;
}

std::size_t best_by_costs(const Pipeline& pipeline, const std::vector<PipelinePlan>& plans) {
  return best_plan_of(goal_by_costs(pipeline), all_figures(plans));
}

std::optional<std::string> misfit_by_costs(const Pipeline& pipeline, const std::vector<PipelinePlan>& plans) {
  return misfit_of(goal_by_costs(pipeline), all_figures(plans));
}

PipelinePlan choose_by_costs(const Pipeline& pipeline, std::vector<PipelinePlan> plans) {
  const std::size_t best = best_by_costs(pipeline, plans);
  if (const std::optional<std::string> misfit = misfit_by_costs(pipeline, plans))
    plans[best].summary.notes.push_back(*misfit);
  const auto hertz = [](const PipelinePlan& plan) { return plan.summary.predicted_hz; };
  const PipelinePlan& fastest = *std::ranges::max_element(plans, {}, hertz);
  if (!goal_by_costs(pipeline).enough && hertz(fastest) > hertz(plans[best]))
    plans[best].summary.notes.push_back(fmt::format(
        "{} on {} ranks is predicted to reach {}: costs cannot rank such plans, `--trial 1s` measures them",
        fastest.summary.scheduler, fastest.plan.evaluation.figures.processors_used,
        takt::to_string(Frequency{hertz(fastest)})));
  return std::move(plans[best]);
}

PipelinePlan plan_pipeline(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                           const Surroundings& surroundings) {
  if (std::optional<PipelinePlan> plan = plan_for_low_load(pipeline, costs, surroundings))
    return *std::move(plan);
  return choose_by_costs(pipeline, candidate_plans(pipeline, costs, surroundings));
}

std::optional<PipelinePlan> plan_for_low_load(const Pipeline& given, const std::vector<StageCost>& measured,
                                              const Surroundings& surroundings) {
  const std::optional<Frequency> rate = given.leaves_goal_open ? given.source_rate() : given.required_rate();
  const bool wants_more = given.names_objective && given.goal.objective != schedulers::Objective::processors;
  if (!rate || wants_more || !given.goal.scheduler.empty()) return std::nullopt;
  Pipeline pipeline = given;
  pipeline.keep_whole(tasks_on_whole_frames(measured));
  check_ranks(pipeline, surroundings.machine);
  PipelinePlan plan =
      finished(given, pipeline, measured, surroundings, Planner(pipeline, measured, surroundings).one_rank());
  if (rate->hertz > low_load * plan.summary.predicted_hz || holds_latency(plan.summary) == false)
    return std::nullopt;
  return plan;
}

}  // namespace takt::pipeline
