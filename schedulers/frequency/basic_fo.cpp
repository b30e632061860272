#include "schedulers/frequency/basic_fo.hpp"

#include <algorithm>
#include <cmath>

#include "logp/timing.hpp"
#include "schedulers/bounds/period_bounds.hpp"

namespace takt::schedulers {

namespace {

__extension__ typedef __int128 Wide;

/// The time of each processor if the work were divisible.
struct Average {
  Wide numerator = 0;
  Wide denominator = 1;

  Average(const TaskGraph& graph, const logp::Machine& machine) {
    const auto processors = static_cast<Wide>(machine.processor_count());
    if (graph.has_work_table()) {
      for (TaskId task : graph.tasks())
        for (ProcessorId p : machine.processors()) numerator += machine.duration(graph, task, p).count();
      denominator = processors * processors;
      return;
    }
    constexpr double speed_unit = 1e6;
    denominator = 0;
    for (double speed : machine.platform().speeds)
      denominator += std::max<Wide>(1, std::llround(speed * speed_unit));
    numerator = static_cast<Wide>(graph.total_work().count()) * static_cast<Wide>(speed_unit);
  }

  /// Distance from the average in units of 1 / denominator.
  [[nodiscard]] Wide distance(Time load) const {
    const Wide difference = load.count() * denominator - numerator;
    return difference < 0 ? -difference : difference;
  }
};

}  // namespace

Schedule basic_fo(const TaskGraph& graph, const logp::Machine& machine, const Options& /*options*/) {
  const Average average(graph, machine);
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
  std::size_t processor = 0;
  Time load{0};
  for (TaskId task : graph.topological_order()) {
    Time with_task = load + machine.duration(graph, task, ProcessorId(processor));
    const bool is_last = processor + 1 == machine.processor_count();
    if (!is_last && average.distance(with_task) >= average.distance(load)) {
      ++processor;
      with_task = machine.duration(graph, task, ProcessorId(processor));
    }
    allocation.order[processor].push_back(task);
    load = with_task;
  }
  std::vector<ProcessorId> chain;
  for (ProcessorId p : machine.processors())
    if (!allocation.order[p.index()].empty()) chain.push_back(p);
  Schedule schedule = logp::time_relay(graph, machine, allocation, chain);
  schedule.scheduler = "basic_fo";
  add_period_bound(graph, machine, schedule);
  return schedule;
}

}  // namespace takt::schedulers
