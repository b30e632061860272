#include "schedulers/heterogeneous/ca_list.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// The edges into a task in ascending order of the ends of their senders.
std::vector<EdgeId> by_senders_end(const PartialSchedule& partial, TaskId task) {
  const TaskGraph& graph = partial.model().graph();
  const auto in_edges = graph.in_edges(task);
  std::vector<EdgeId> edges(in_edges.begin(), in_edges.end());
  auto key = [&](EdgeId edge) {
    const TaskId sender = graph.edge(edge).from;
    return std::tuple(partial.end(sender), sender, edge);
  };
  std::sort(edges.begin(), edges.end(), [&](EdgeId a, EdgeId b) { return key(a) < key(b); });
  return edges;
}

/// When the last of a task's data is on the processor, one communication after the other.
Time serialised_arrival(const PartialSchedule& partial, std::span<const EdgeId> edges,
                        ProcessorId processor) {
  const DelayModel& model = partial.model();
  Time arrival{0};
  for (EdgeId edge : edges) {
    const TaskId sender = model.graph().edge(edge).from;
    arrival =
        std::max(arrival, partial.end(sender)) + model.delay(edge, partial.processor(sender), processor);
  }
  return arrival;
}

}  // namespace

Timetable ca_list(const DelayModel& model, const Options& options) {
  const std::vector<Time> level = b_levels(model);
  PartialSchedule partial(model, options.trace);
  ReadyQueue ready(model.graph(), by_falling(model.graph(), level));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    const std::vector<EdgeId> edges = by_senders_end(partial, task);
    Slot best{ProcessorId(0), Time{0}};
    Time least = Time::max();
    for (ProcessorId p : model.processors()) {
      const Time start = std::max(partial.ready_time(p), serialised_arrival(partial, edges, p));
      const Time end = start + model.duration(task, p);
      partial.consider({p, start}, "end", end);
      if (end < least) {
        least = end;
        best = {p, start};
      }
    }
    partial.place(task, best, [&] { return fmt::format("b-level {}", level[task.index()].count()); });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule ca_list(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return timed("ca_list", graph, machine, ca_list(DelayModel(graph, machine), options));
}

}  // namespace takt::schedulers
