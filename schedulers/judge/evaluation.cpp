#include "schedulers/judge/evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/free_memory.hpp"
#include "core/system/in_parallel.hpp"
#include "schedulers/bounds/area_bound.hpp"
#include "schedulers/bounds/group_bounds.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/fit.hpp"

namespace takt::schedulers {

namespace {

/// Returns the longest path without data, each task on its fastest processor.
Time critical_path(const TaskGraph& graph, const logp::Machine& machine) {
  const LeastTimes least(graph, machine);
  std::vector<Time> end(graph.task_count(), Time{0});
  Time longest{0};
  for (TaskId task : graph.topological_order()) {
    Time start{0};
    for (EdgeId edge : graph.in_edges(task)) start = std::max(start, end[graph.edge(edge).from.index()]);
    end[task.index()] = start + least.of(task);
    longest = std::max(longest, end[task.index()]);
  }
  return longest;
}

/// Removes proofs for one processor per task, which do not cover groups of processors for moldable tasks; a
/// bound next to a guarantee covers them.
void forget_proofs_of_one_processor(const TaskGraph& graph, Schedule& schedule) {
  if (!graph.is_moldable()) return;
  schedule.optimal = false;
  schedule.optimal_among.clear();
  schedule.period_bound.reset();
  schedule.period_bound_among.clear();
  if (!schedule.guarantee) schedule.makespan_bound.reset();
}

/// Bounds of all schedules of the graph, and its sequential time.
struct Bounds {
  Period period;
  Time sequential{0}, critical_path{0}, makespan{0};
};

Bounds bounds_of(const TaskGraph& graph, const logp::Machine& machine) {
  Bounds bounds;
  if (graph.task_count() == 0) return bounds;
  const std::optional<GroupBounds> groups =
      graph.is_moldable() ? std::optional(group_bounds(graph, machine)) : std::nullopt;
  bounds.period = groups ? groups->period : PeriodBounds(graph, machine).best().period;
  bounds.sequential = fastest_sequential_run(graph, machine).time;
  bounds.critical_path = groups ? groups->critical_path : critical_path(graph, machine);
  bounds.makespan =
      std::max(bounds.critical_path, AreaBound(graph, machine).mean(machine.processor_count()).ceiling());
  return bounds;
}

/// Includes the bounds that the schedule carries.
void set_bounds(const Bounds& bounds, const Schedule& schedule, Figures& figures) {
  figures.sequential = bounds.sequential;
  figures.critical_path = bounds.critical_path;
  figures.bound = bounds.period;
  if (schedule.period_bound) figures.raise_bound(*schedule.period_bound, schedule.period_bound_among);
  figures.makespan_bound = std::max(bounds.makespan, schedule.makespan_bound.value_or(bounds.makespan));
}

/// Number of tasks from which the time of a single evaluation matters.
constexpr std::size_t many_tasks = 100'000;

double quotient(double over, double under) {
  return under > 0 ? over / under : 1;
}

}  // namespace

double Figures::ratio() const {
  return quotient(period(), lower_bound());
}

double Figures::makespan_ratio() const {
  return quotient(static_cast<double>(frame_length().count()), static_cast<double>(makespan_bound.count()));
}

double Figures::normalised_length() const {
  return quotient(static_cast<double>(frame_length().count()), static_cast<double>(critical_path.count()));
}

double Figures::speed_up() const {
  return quotient(static_cast<double>(sequential.count()) * replicas, static_cast<double>(makespan.count()));
}

void Figures::raise_bound(const Period& other, const std::string& among) {
  if (other < bound || (other == bound && !among.empty())) return;
  bound = other;
  bound_among = among;
}

double Figures::efficiency() const {
  return quotient(speed_up(), static_cast<double>(processors_used));
}

namespace {

/// Implements judge() for a graph that fits its machine, with or without its bounds.
Evaluation judge_fitting(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule,
                         const logp::DiagnosticOptions& options, std::optional<Bounds> bounds) {
  forget_proofs_of_one_processor(graph, schedule);
  Evaluation evaluation;
  Figures& figures = evaluation.figures;
  in_parallel_if(graph.task_count() >= many_tasks,
                 {[&] { evaluation.findings = logp::diagnose(graph, machine, schedule, options); },
                  [&] {
                    evaluation.metrics = measure(schedule);
                    const auto own_bounds = [&] {
                      if (schedule.travelling.empty()) return bounds_of(graph, machine);
                      return bounds_of(graph.with_stateless(schedule.travelling), machine);
                    };
                    set_bounds(bounds ? *bounds : own_bounds(), schedule, figures);
                  }});
  figures.scheduler = schedule.scheduler;
  figures.processors_used = evaluation.metrics.processors_used;
  figures.replicas = schedule.replicas;
  figures.repetition = evaluation.metrics.repetition;
  figures.makespan = evaluation.metrics.makespan;
  figures.latency = evaluation.metrics.latency;
  figures.valid = evaluation.findings.empty();
  figures.optimal = figures.valid && (schedule.optimal || figures.exact_period() == figures.bound);
  if (figures.valid && !figures.optimal) figures.optimal_among = schedule.optimal_among;
  evaluation.schedule = std::move(schedule);
  return evaluation;
}

}  // namespace

Evaluation judge(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule,
                 const logp::DiagnosticOptions& options) {
  check_fit(graph, machine);
  return judge_fitting(graph, machine, std::move(schedule), options, std::nullopt);
}

Evaluation evaluate(const Scheduler& scheduler, const TaskGraph& graph, const logp::Machine& machine,
                    const Options& options) {
  check_fit(graph, machine);
  if (graph.is_undirected() && scheduler.family != mapping_family)
    throw ConfigError(
        fmt::format("'{}' needs edges with a direction, and those of an interaction graph have none: "
                    "expected a scheduler of the "
                    "family {}",
                    scheduler.name, mapping_family));
  Schedule schedule;
  std::chrono::duration<double> taken{};
  Bounds bounds;
  in_parallel_if(graph.task_count() >= many_tasks, {[&] {
                                                      const auto start = std::chrono::steady_clock::now();
                                                      schedule = scheduler.schedule(graph, machine, options);
                                                      taken = std::chrono::steady_clock::now() - start;
                                                    },
                                                    [&] { bounds = bounds_of(graph, machine); }});
  give_back_free_memory(graph.task_count());
  Evaluation evaluation = judge_fitting(graph, machine, std::move(schedule), {}, bounds);
  evaluation.figures.seconds = taken.count();
  return evaluation;
}

}  // namespace takt::schedulers
