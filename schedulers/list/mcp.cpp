#include "schedulers/list/mcp.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "schedulers/delay/insertion_schedule.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// The latest starts of each task's children, in descending order, task by task.
class ChildLists {
 public:
  ChildLists(const TaskGraph& graph, const std::vector<Time>& alap) : offsets_{0} {
    for (TaskId task : graph.tasks()) {
      for (EdgeId edge : graph.out_edges(task)) times_.push_back(alap[graph.edge(edge).to.index()]);
      std::sort(times_.begin() + static_cast<std::ptrdiff_t>(offsets_.back()), times_.end(),
                std::greater<>());
      offsets_.push_back(times_.size());
    }
  }

  [[nodiscard]] std::span<const Time> of(TaskId task) const {
    return std::span(times_).subspan(offsets_[task.index()],
                                     offsets_[task.index() + 1] - offsets_[task.index()]);
  }

 private:
  std::vector<std::size_t> offsets_;
  std::vector<Time> times_;
};

std::vector<TaskId> by_latest_starts(const TaskGraph& graph, const std::vector<Time>& alap) {
  const ChildLists children(graph, alap);
  return sorted_tasks(graph, [&](TaskId a, TaskId b) {
    if (alap[a.index()] != alap[b.index()]) return alap[a.index()] < alap[b.index()];
    return std::ranges::lexicographical_compare(children.of(a), children.of(b));
  });
}

}  // namespace

Timetable mcp(const DelayModel& model, const Options& options) {
  std::vector<Time> alap = b_levels(model);
  const Time length = alap.empty() ? Time{0} : *std::max_element(alap.begin(), alap.end());
  for (Time& time : alap) time = length - time;

  InsertionSchedule partial(model, options.trace);
  ReadyQueue ready(model.graph(), by_latest_starts(model.graph(), alap));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    partial.place(task, partial.earliest_start(task),
                  [&] { return fmt::format("latest start {}", alap[task.index()].count()); });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule mcp(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Timetable decided = mcp(DelayModel(graph, machine), options);
  return timed("mcp", graph, machine, std::move(decided));
}

}  // namespace takt::schedulers
