#include "schedulers/plan/plan.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/system/allowed_processors.hpp"
#include "schedulers/fit.hpp"
#include "schedulers/plan/rate_objective.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {

namespace {

/// Largest work of a frame on a node, divided by its cores: no schedule is faster there.
double period_of_nodes(const logp::Machine& machine, const ScheduleMetrics& metrics, std::size_t cores) {
  std::vector<double> work(machine.platform().cluster_of_node.size(), 0.0);
  for (std::size_t p = 0; p < metrics.occupancy.size(); ++p)
    work[machine.platform().node_of[p]] +=
        static_cast<double>((metrics.occupancy[p].compute + metrics.occupancy[p].overhead).count());
  return *std::ranges::max_element(work) / static_cast<double>(cores) / metrics.replicas;
}

/// Whether the schedule sustains a rate, by itself and with the available cores.
bool is_held(const std::optional<RequiredRate>& rate, const Plan& plan) {
  return !rate ||
         (rate->is_held_by(plan.evaluation.figures.exact_period()) && rate->allows(plan.prediction.period));
}

Plan plan_of(const logp::Machine& machine, const Goal& goal, Evaluation evaluation) {
  Plan plan;
  plan.prediction = predict(machine, evaluation.schedule, goal.cores_per_node);
  plan.evaluation = std::move(evaluation);
  plan.holds_rate = is_held(goal.rate, plan);
  plan.holds_margin = is_held(goal.rate_with_margin(), plan);
  return plan;
}

/// Bounds that auto has proven with any of its schedulers hold for the chosen schedule.
void add_bounds(const AutoChoice& choice, Evaluation& evaluation) {
  Figures& figures = evaluation.figures;
  for (const ComparisonRow& row : choice.ranking) {
    if (!row.is_valid()) continue;
    figures.raise_bound(row.figures->bound, row.figures->bound_among);
    figures.makespan_bound = std::max(figures.makespan_bound, row.figures->makespan_bound);
  }
  figures.optimal = figures.valid && (figures.optimal || figures.exact_period() <= figures.bound);
  evaluation.schedule.makespan_bound = figures.makespan_bound;
}

class Planner {
 public:
  Planner(const TaskGraph& graph, const logp::Machine& machine, const Goal& goal,
          const std::function<void(const ComparisonProgress&)>& report)
      : graph_(graph), machine_(machine), goal_(goal), report_(report) {}

  Plan run() { return needs_rate(goal_.objective) ? for_rate() : for_objective(goal_.objective); }

 private:
  /// Uses the goal's scheduler, or the default for the objective.
  Plan for_objective(Objective objective) {
    std::string_view name = goal_.scheduler;
    if (graph_.is_undirected() && name.empty()) name = automatic;
    if (name.empty()) name = objective == Objective::makespan ? automatic : default_scheduler().name;
    std::optional<AutoChoice> choice;
    if (name == automatic) {
      choice = choose_scheduler(graph_, machine_, goal_, allowed_processors().size(), report_);
      name = choice->scheduler->name;
    }
    Evaluation evaluation = choice && choice->ranking.front().schedule ? so_far(choice->ranking.front())
                            : !choice && goal_.own_time_limit
                                ? in_time(find_scheduler(name))
                                : evaluate(find_scheduler(name), graph_, machine_, goal_.options);
    if (choice) add_bounds(*choice, evaluation);
    Plan plan = plan_of(machine_, goal_, std::move(evaluation));
    plan.objective = objective;
    plan.choice = std::move(choice);
    return plan;
  }

  [[nodiscard]] Evaluation in_time(const Scheduler& scheduler) const {
    const auto start = std::chrono::steady_clock::now();
    Schedule schedule = within_time(scheduler, graph_, machine_, goal_.options, *goal_.own_time_limit);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    Evaluation evaluation = judge(graph_, machine_, std::move(schedule));
    evaluation.figures.seconds = taken.count();
    return evaluation;
  }

  /// Returns the schedule of a scheduler at its time limit: running it again would exceed the limit.
  [[nodiscard]] Evaluation so_far(const ComparisonRow& row) const {
    Evaluation evaluation = judge(graph_, machine_, *row.schedule);
    evaluation.figures.seconds = row.figures->seconds;
    return evaluation;
  }

  /// Uses the goal's objective if possible, otherwise the highest frequency.
  Plan for_rate() {
    const auto start = std::chrono::steady_clock::now();
    RateSchedule found = at_rate(*goal_.rate_with_margin());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    Evaluation evaluation = judge(graph_, machine_, std::move(found.schedule));
    evaluation.figures.seconds = taken.count();
    Plan plan = plan_of(machine_, goal_, std::move(evaluation));
    plan.objective = goal_.objective;
    plan.fewest_is_proven = found.is_proven;
    plan.of_one_frame = std::move(found.of_one_frame);
    if (plan.holds_margin) return plan;
    // The cores may be too few for a schedule that would sustain the rate.
    Plan fastest = for_objective(Objective::frequency);
    if (!found.is_held || fastest.prediction.period < plan.prediction.period) plan = std::move(fastest);
    decide(plan);
    return goal_.options.cost_noise > 0 ? nearly_as_fast(std::move(plan)) : plan;
  }

  [[nodiscard]] Options choice_options() const {
    Options options = goal_.options;
    if (goal_.choice_effort) options.effort = goal_.choice_effort;
    return options;
  }
  [[nodiscard]] RateSchedule at_rate(const RequiredRate& rate) const {
    return schedule_for_rate(goal_.objective, rate, graph_, machine_, rate_schedulers(), choice_options(),
                             goal_.frame_interval, goal_.latency_limit);
  }

  /// Returns a plan that is better for the objective than the fastest one, and as fast within the cost noise.
  [[nodiscard]] Plan nearly_as_fast(Plan fastest) const {
    RequiredRate least{fastest.prediction.period * (1 + goal_.options.cost_noise)};
    if (fastest.holds_rate) least.period = std::min(least.period, goal_.rate->period);
    RateSchedule found = at_rate(least);
    if (!found.is_held) return fastest;
    std::optional<Schedule> of_one_frame = std::move(found.of_one_frame);
    if (found.schedule.replicas == 1) of_one_frame = found.schedule;
    Plan plan = plan_of(machine_, goal_, judge(graph_, machine_, std::move(found.schedule)));
    if (least.allows(plan.prediction.period) && serves_better(plan, fastest)) {
      const Figures& figures = fastest.evaluation.figures;
      plan.evaluation.figures.raise_bound(figures.bound, figures.bound_among);
    } else {
      plan = std::move(fastest);
    }
    if (plan.evaluation.schedule.replicas > 1) plan.of_one_frame = std::move(of_one_frame);
    return plan;
  }
  [[nodiscard]] bool serves_better(const Plan& plan, const Plan& other) const {
    if (goal_.objective == Objective::processors)
      return plan.evaluation.figures.processors_used < other.evaluation.figures.processors_used;
    const double noise = 1 + goal_.options.cost_noise;
    const auto latency = [](const Plan& each) {
      return static_cast<double>(each.evaluation.metrics.latency.count());
    };
    const auto frames = [](const Plan& each) { return each.evaluation.schedule.replicas; };
    return latency(plan) * noise < latency(other) ||
           (frames(plan) < frames(other) && latency(plan) <= latency(other) * noise);
  }

  /// If no bound excludes the rate, searches a small graph
  /// for a proof, or for a schedule that sustains it.
  void decide(Plan& plan) {
    if (graph_.task_count() > most_decided) return;
    for (const Scheduler& scheduler : all_schedulers()) {
      Figures& figures = plan.evaluation.figures;
      if (scheduler.traits.proves != Objective::frequency || plan.holds_margin ||
          !goal_.rate_with_margin()->is_held_by(figures.bound))
        continue;
      Evaluation proven = evaluate(scheduler, graph_, machine_, choice_options());
      proven.figures.raise_bound(figures.bound, figures.bound_among);
      const Period bound = proven.figures.bound;
      const std::string among = proven.figures.bound_among;
      if (proven.figures.valid && proven.figures.exact_period() < figures.exact_period()) {
        plan = plan_of(machine_, goal_, std::move(proven));
        plan.objective = Objective::frequency;
      }
      plan.evaluation.figures.bound = bound;
      plan.evaluation.figures.bound_among = among;
    }
  }

  /// Largest number of tasks for which a proof is likely, and a search takes about a second.
  static constexpr std::size_t most_decided = 24;

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  const Goal& goal_;
  const std::function<void(const ComparisonProgress&)>& report_;
};

}  // namespace

Prediction predict(const logp::Machine& machine, const Schedule& schedule,
                   std::optional<std::size_t> cores_per_node) {
  const ScheduleMetrics metrics = measure(schedule);
  const auto busiest = std::ranges::max_element(metrics.occupancy, {}, &Occupancy::occupied);
  Prediction prediction{.period = metrics.period(),
                        .busiest = ProcessorId(static_cast<std::size_t>(busiest - metrics.occupancy.begin())),
                        .occupied = busiest->occupied() / metrics.replicas};
  if (!cores_per_node) return prediction;
  const double shared = period_of_nodes(machine, metrics, *cores_per_node);
  prediction.cores_are_short = shared > prediction.period;
  prediction.period = std::max(shared, prediction.period);
  return prediction;
}

Plan make_plan(const TaskGraph& graph, const logp::Machine& machine, const Goal& goal,
               const std::function<void(const ComparisonProgress&)>& report) {
  check(goal);
  check_fit(graph, machine);
  if (graph.is_undirected() && goal.objective != Objective::frequency)
    throw ConfigError(
        "the tasks of an interaction graph have no order, so that a schedule has neither a makespan nor a "
        "latency: "
        "expected the objective frequency, the smallest largest load");
  return Planner(graph, machine, goal, report).run();
}

Plan plan_of(const TaskGraph& graph, const logp::Machine& machine, const Goal& goal, Schedule schedule) {
  Plan plan = plan_of(machine, goal, judge(graph, machine, std::move(schedule)));
  plan.objective = goal.objective;
  return plan;
}

}  // namespace takt::schedulers
