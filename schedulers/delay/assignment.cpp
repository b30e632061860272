#include "schedulers/delay/assignment.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

std::vector<Time> b_levels(const DelayModel& model, std::span<const ProcessorId> processor_of) {
  const TaskGraph& graph = model.graph();
  std::vector<Time> level(graph.task_count(), Time{0});
  for (TaskId task : std::views::reverse(graph.topological_order())) {
    const ProcessorId home = processor_of[task.index()];
    Time below{0};
    for (EdgeId edge : graph.out_edges(task)) {
      const TaskId child = graph.edge(edge).to;
      below = std::max(below, model.delay(edge, home, processor_of[child.index()]) + level[child.index()]);
    }
    level[task.index()] = model.duration(task, home) + below;
  }
  return level;
}

Timetable place_assigned(const DelayModel& model, std::span<const ProcessorId> processor_of, Trace* trace,
                         const std::function<std::string(TaskId)>& why_there) {
  const std::vector<Time> level = b_levels(model, processor_of);
  PartialSchedule partial(model, trace);
  ReadyQueue ready(model.graph(), by_falling(model.graph(), level));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    const ProcessorId home = processor_of[task.index()];
    const Time start = std::max(partial.ready_time(home), partial.arrival(task, home));
    partial.place(task, {home, start}, [&] {
      return fmt::format("b-level {}{}", level[task.index()].count(),
                         why_there ? ", " + why_there(task) : std::string());
    });
    ready.place(task);
  }
  return std::move(partial).take();
}

}  // namespace takt::schedulers
