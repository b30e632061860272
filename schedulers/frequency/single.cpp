#include "schedulers/frequency/single.hpp"

#include "logp/timing.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/bounds/period_bounds.hpp"

namespace takt::schedulers {

Schedule single(const TaskGraph& graph, const logp::Machine& machine, const Options& /*options*/) {
  const ProcessorId fastest = fastest_sequential_run(graph, machine).processor;
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
  const auto order = graph.topological_order();
  allocation.order[fastest.index()].assign(order.begin(), order.end());
  Schedule schedule = logp::time_relay(graph, machine, allocation, {&fastest, 1});
  schedule.scheduler = "single";
  add_period_bound(graph, machine, schedule);
  return schedule;
}

}  // namespace takt::schedulers
