#include "schedulers/judge/evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "schedulers/bounds/area_bound.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/bounds/period_bounds.hpp"

namespace takt::schedulers {

namespace {

/// The longest path without data, each task where it takes least.
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

/// The most that a message of this size can cost anyone.
double largest_cost(const logp::LinkCosts& costs, Bytes size) {
  double sum = 0;
  for (const logp::Cost* cost :
       {&costs.latency, &costs.send_overhead, &costs.receive_overhead, &costs.send_gap, &costs.receive_gap}) {
    double largest = 0;
    for (const logp::Cost::Segment& segment : cost->segments())
      largest = std::max(
          largest, std::abs(segment.constant) + std::abs(segment.per_byte) * static_cast<double>(size.count));
    sum += largest;
  }
  return sum;
}

}  // namespace

double largest_total_time(const TaskGraph& graph, const logp::Machine& machine) {
  const std::vector<double>& speeds = machine.platform().speeds;
  const double slowest = *std::min_element(speeds.begin(), speeds.end());
  double sum = 0;
  for (TaskId task : graph.tasks()) {
    double longest =
        graph.has_work_table() ? 0 : static_cast<double>(graph.task(task).work.count()) / slowest;
    for (ProcessorId column : ids<ProcessorId>(graph.work_table_columns()))
      longest = std::max(longest, static_cast<double>(graph.work_on(task, column)->count()));
    sum += longest;
  }
  for (EdgeId edge : graph.edges()) {
    double most = 0;
    for (const logp::LinkCosts& costs : machine.occurring_costs())
      most = std::max(most, largest_cost(costs, graph.edge(edge).size));
    sum += most;
  }
  return sum;
}

void check_fit(const TaskGraph& graph, const logp::Machine& machine) {
  if (graph.has_work_table() && graph.work_table_columns() < machine.processor_count())
    throw ConfigError(
        fmt::format("the graph gives its tasks' work on {} processors, the machine has {}: expected a value "
                    "for each",
                    graph.work_table_columns(), machine.processor_count()));
  constexpr double limit = 1e18;
  const double sum = largest_total_time(graph, machine);
  if (!(sum <= limit))
    throw ConfigError(
        fmt::format("the graph's work and messages can take up to {:.3g} ticks on this machine; the "
                    "limit is {:.3g}",
                    sum, limit));
}

namespace {

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

double Figures::efficiency() const {
  return quotient(speed_up(), static_cast<double>(processors_used));
}

Evaluation judge(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule,
                 const logp::DiagnosticOptions& options) {
  check_fit(graph, machine);
  Evaluation evaluation;
  evaluation.metrics = measure(schedule);
  evaluation.findings = logp::diagnose(graph, machine, schedule, options);
  Figures& figures = evaluation.figures;
  figures.scheduler = schedule.scheduler;
  figures.processors_used = evaluation.metrics.processors_used;
  figures.replicas = schedule.replicas;
  figures.repetition = evaluation.metrics.repetition;
  figures.makespan = evaluation.metrics.makespan;
  figures.latency = evaluation.metrics.latency;
  if (graph.task_count() > 0) {
    figures.bound = PeriodBounds(graph, machine).best().period;
    if (schedule.period_bound) figures.bound = std::max(figures.bound, *schedule.period_bound);
    figures.sequential = fastest_sequential_run(graph, machine).time;
    figures.critical_path = critical_path(graph, machine);
    figures.makespan_bound =
        std::max(figures.critical_path, AreaBound(graph, machine).mean(machine.processor_count()).ceiling());
    if (schedule.makespan_bound)
      figures.makespan_bound = std::max(figures.makespan_bound, *schedule.makespan_bound);
  }
  figures.valid = evaluation.findings.empty();
  figures.optimal = figures.valid && (schedule.optimal || figures.exact_period() == figures.bound);
  if (figures.valid && !figures.optimal) figures.optimal_among = schedule.optimal_among;
  evaluation.schedule = std::move(schedule);
  return evaluation;
}

Evaluation evaluate(const Scheduler& scheduler, const TaskGraph& graph, const logp::Machine& machine,
                    const Options& options) {
  check_fit(graph, machine);
  const auto start = std::chrono::steady_clock::now();
  Schedule schedule = scheduler.schedule(graph, machine, options);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  Evaluation evaluation = judge(graph, machine, std::move(schedule));
  evaluation.figures.seconds = taken.count();
  return evaluation;
}

}  // namespace takt::schedulers
