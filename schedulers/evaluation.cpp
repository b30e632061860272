#include "schedulers/evaluation.hpp"

#include <algorithm>
#include <chrono>

#include "schedulers/frequency/bounds.hpp"
#include "schedulers/frequency/replication_bound.hpp"

namespace takt::schedulers {

namespace {

Time time_on(const TaskGraph& graph, const logp::Machine& machine, ProcessorId processor) {
  Time sum{0};
  for (TaskId task : graph.tasks()) sum += machine.duration(graph, task, processor);
  return sum;
}

/// The processors of which one does a task fastest: without a table of times that is the one of the highest
/// speed.
std::vector<ProcessorId> fastest_processors(const TaskGraph& graph, const logp::Machine& machine) {
  const std::vector<double>& speeds = machine.platform().speeds;
  const auto fastest = std::max_element(speeds.begin(), speeds.end()) - speeds.begin();
  std::vector<ProcessorId> result;
  for (ProcessorId processor : machine.processors())
    if (graph.has_work_table() || processor.index() == static_cast<std::size_t>(fastest))
      result.push_back(processor);
  return result;
}

Time sequential_time(const TaskGraph& graph, const logp::Machine& machine) {
  Time least = Time::max();
  for (ProcessorId processor : fastest_processors(graph, machine))
    least = std::min(least, time_on(graph, machine, processor));
  return least;
}

Time critical_path(const TaskGraph& graph, const logp::Machine& machine) {
  const std::vector<ProcessorId> candidates = fastest_processors(graph, machine);
  std::vector<Time> end(graph.task_count(), Time{0});
  Time longest{0};
  for (TaskId task : graph.topological_order()) {
    Time start{0}, least = Time::max();
    for (EdgeId edge : graph.in_edges(task)) start = std::max(start, end[graph.edge(edge).from.index()]);
    for (ProcessorId processor : candidates)
      least = std::min(least, machine.duration(graph, task, processor));
    end[task.index()] = start + least;
    longest = std::max(longest, end[task.index()]);
  }
  return longest;
}

/// The best lower bound known of the period, whatever the number of replicas where tasks are stateless.
Period least_period(const TaskGraph& graph, const logp::Machine& machine, const Schedule& schedule) {
  if (can_replicate(graph, machine)) return replication_bound(graph, machine).period;
  if (schedule.period_bound) return {*schedule.period_bound, schedule.replicas};
  return {PeriodBounds(graph, machine, schedule.replicas).best().time, schedule.replicas};
}

double quotient(double over, double under) {
  return under > 0 ? over / under : 1;
}

}  // namespace

double Figures::ratio() const {
  return quotient(period(), lower_bound());
}

double Figures::makespan_ratio() const {
  return quotient(static_cast<double>(makespan.count()), static_cast<double>(makespan_bound.count()));
}

double Figures::normalised_length() const {
  return quotient(static_cast<double>(makespan.count()), static_cast<double>(critical_path.count()));
}

double Figures::speed_up() const {
  return quotient(static_cast<double>(sequential.count()) * replicas, static_cast<double>(makespan.count()));
}

double Figures::efficiency() const {
  return quotient(speed_up(), static_cast<double>(processors_used));
}

Evaluation judge(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule,
                 const logp::DiagnosticOptions& options) {
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
    figures.bound = least_period(graph, machine, schedule);
    figures.sequential = sequential_time(graph, machine);
    figures.critical_path = critical_path(graph, machine);
    figures.makespan_bound = std::max(figures.critical_path, machine.period_bound(graph));
    if (schedule.makespan_bound)
      figures.makespan_bound = std::max(figures.makespan_bound, *schedule.makespan_bound);
  }
  figures.valid = evaluation.findings.empty();
  // Of a class of schedules with one copy, the best one need not be the best of all.
  const bool is_best_of_all = schedule.optimal && !can_replicate(graph, machine);
  figures.optimal = figures.valid && (is_best_of_all || figures.exact_period() == figures.bound);
  if (figures.valid && !figures.optimal) figures.optimal_among = schedule.optimal_among;
  evaluation.schedule = std::move(schedule);
  return evaluation;
}

Evaluation evaluate(const Scheduler& scheduler, const TaskGraph& graph, const logp::Machine& machine,
                    const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Schedule schedule = scheduler.schedule(graph, machine, options);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  Evaluation evaluation = judge(graph, machine, std::move(schedule));
  evaluation.figures.seconds = taken.count();
  return evaluation;
}

}  // namespace takt::schedulers
