#include "schedulers/delay/timetable.hpp"

#include <algorithm>
#include <tuple>

namespace takt::schedulers {

bool messages_occupy_no_processor(const logp::Machine& machine) {
  return std::ranges::all_of(machine.occurring_costs(), [](const logp::LinkCosts& costs) {
    return costs.send_overhead.is_zero() && costs.receive_overhead.is_zero() && costs.send_gap.is_zero() &&
           costs.receive_gap.is_zero();
  });
}

bool is_delay_model(const logp::Machine& machine) {
  return messages_occupy_no_processor(machine) && machine.platform().network.empty();
}

Time Timetable::length() const {
  return end.empty() ? Time{0} : *std::max_element(end.begin(), end.end());
}

Timetable Timetable::reversed() const {
  Timetable result = *this;
  const Time length = this->length();
  for (std::size_t task = 0; task < end.size(); ++task) {
    result.start[task] = length - end[task];
    result.end[task] = length - start[task];
  }
  return result;
}

logp::Allocation allocation_of(const TaskGraph& graph, std::size_t processor_count,
                               const Timetable& timetable) {
  logp::Allocation allocation;
  allocation.order.resize(processor_count);
  // Tasks are added in topological order and the sort is stable, so equal times keep it.
  for (TaskId task : graph.topological_order())
    allocation.order[timetable.processor[task.index()].index()].push_back(task);
  auto times = [&](TaskId task) {
    return std::tuple(timetable.start[task.index()], timetable.end[task.index()]);
  };
  for (std::vector<TaskId>& tasks : allocation.order)
    std::stable_sort(tasks.begin(), tasks.end(), [&](TaskId a, TaskId b) { return times(a) < times(b); });
  return allocation;
}

Schedule timed(std::string_view scheduler, const TaskGraph& graph, const logp::Machine& machine,
               const logp::Allocation& allocation) {
  Schedule schedule = logp::time_task_messages(
      graph, machine, allocation, {.aggregate = !messages_occupy_no_processor(machine), .routed = true});
  schedule.scheduler = scheduler;
  return schedule;
}

}  // namespace takt::schedulers
