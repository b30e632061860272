#include "schedulers/network/mh.hpp"

#include <fmt/format.h>

#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

RoutedTimetable mh(const DelayModel& model, const logp::Machine& machine, const Options& options) {
  const std::vector<Time> level = b_levels(model);
  RoutedSchedule routed(model, machine, options.trace);
  ReadyQueue ready(model.graph(), by_falling(model.graph(), level));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    ProcessorId best;
    Time earliest_end = Time::max();
    for (ProcessorId p : model.processors()) {
      const Time duration = model.duration(task, p);
      // If the processor alone is too late, the messages need no routing.
      if (!routed.is_traced() && routed.partial().ready_time(p) + duration >= earliest_end) continue;
      const Time start = routed.appended_start(task, p);
      routed.consider({p, start}, "end", start + duration);
      if (start + duration < earliest_end) {
        earliest_end = start + duration;
        best = p;
      }
    }
    routed.append(task, best, [&] { return fmt::format("b-level {}", level[task.index()].count()); });
    ready.place(task);
  }
  return std::move(routed).take();
}

Schedule mh(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return timed("mh", graph, machine, mh(DelayModel(graph, machine), machine, options));
}

}  // namespace takt::schedulers
