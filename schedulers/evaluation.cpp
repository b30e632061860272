#include "schedulers/evaluation.hpp"

#include <algorithm>
#include <chrono>

#include "schedulers/frequency/bounds.hpp"

namespace takt::schedulers {

namespace {

Time time_on(const TaskGraph& graph, const logp::Machine& machine, ProcessorId processor) {
  Time sum{0};
  for (TaskId task : graph.tasks()) sum += machine.duration(graph, task, processor);
  return sum;
}

Time sequential_time(const TaskGraph& graph, const logp::Machine& machine) {
  // Without a table of times, the processor of the highest speed does everything fastest.
  const std::vector<double>& speeds = machine.platform().speeds;
  const auto fastest = std::max_element(speeds.begin(), speeds.end()) - speeds.begin();
  Time least = time_on(graph, machine, ProcessorId(static_cast<std::size_t>(fastest)));
  if (graph.has_work_table())
    for (ProcessorId processor : machine.processors())
      least = std::min(least, time_on(graph, machine, processor));
  return least;
}

double quotient(double over, double under) {
  return under > 0 ? over / under : 1;
}

}  // namespace

double Figures::ratio() const {
  return quotient(static_cast<double>(repetition.count()), static_cast<double>(bound.count()));
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
  if (graph.task_count() > 0) {
    figures.bound = schedule.period_bound ? *schedule.period_bound
                                          : PeriodBounds(graph, machine, schedule.replicas).best().time;
    figures.sequential = sequential_time(graph, machine);
  }
  figures.valid = evaluation.findings.empty();
  figures.optimal = figures.valid && (schedule.optimal || figures.repetition == figures.bound);
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
