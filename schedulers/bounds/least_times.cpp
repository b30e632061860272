#include "schedulers/bounds/least_times.hpp"

#include <algorithm>
#include <set>

namespace takt::schedulers {

bool has_equal_processors(const TaskGraph& graph, const logp::Machine& machine) {
  const std::vector<double>& speeds = machine.platform().speeds;
  return !graph.has_work_table() &&
         std::ranges::all_of(speeds, [&](double speed) { return speed == speeds.front(); });
}

LeastTimes::LeastTimes(const TaskGraph& graph, const logp::Machine& machine)
    : graph_(graph), machine_(machine) {
  const std::vector<double>& speeds = machine.platform().speeds;
  if (!graph.has_work_table())
    fastest_ = ProcessorId(static_cast<std::size_t>(std::ranges::max_element(speeds) - speeds.begin()));
}

Time LeastTimes::of(TaskId task) const {
  if (fastest_) return machine_.duration(graph_, task, *fastest_);
  Time least = Time::max();
  for (ProcessorId p : machine_.processors()) least = std::min(least, machine_.duration(graph_, task, p));
  return least;
}

Time LeastTimes::sum() const {
  Time sum{0};
  for (TaskId task : graph_.tasks()) sum += of(task);
  return sum;
}

Time sequential_time(const TaskGraph& graph, const logp::Machine& machine, ProcessorId processor) {
  Time sum{0};
  for (TaskId task : graph.tasks()) sum += machine.duration(graph, task, processor);
  return sum;
}

SequentialRun fastest_sequential_run(const TaskGraph& graph, const logp::Machine& machine) {
  SequentialRun best{ProcessorId(0), Time::max()};
  std::set<double> known_speeds;
  for (ProcessorId p : machine.processors()) {
    if (!graph.has_work_table() && !known_speeds.insert(machine.platform().speeds[p.index()]).second)
      continue;
    if (const Time time = sequential_time(graph, machine, p); time < best.time) best = {p, time};
  }
  return best;
}

}  // namespace takt::schedulers
