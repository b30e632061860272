#pragma once
/// What an algorithm decided under the delay model, and how that becomes a schedule under a machine.

#include <string_view>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "logp/timing.hpp"

namespace takt::schedulers {

/// Where and when every task runs, indexed by task.
struct Timetable {
  std::vector<ProcessorId> processor;
  std::vector<Time> start;
  std::vector<Time> end;

  Timetable() = default;
  explicit Timetable(std::size_t task_count)
      : processor(task_count), start(task_count, Time{0}), end(task_count, Time{0}) {}

  /// The last end: the schedule length of the papers.
  [[nodiscard]] Time length() const;
  /// The same with time running backwards.
  [[nodiscard]] Timetable reversed() const;
};

/// Each processor's tasks in the order of their starts; where two start together, in that of their ends, then
/// in topological order. O(n log n).
[[nodiscard]] logp::Allocation allocation_of(const TaskGraph& graph, std::size_t processor_count,
                                             const Timetable& timetable);

/// Whether messages only take time and never a processor's.
[[nodiscard]] bool messages_occupy_nobody(const logp::Machine& machine);
/// Whether the delay model is the machine: messages only take time, and no links that others may hold.
[[nodiscard]] bool is_delay_model(const logp::Machine& machine);

/// The allocation timed by the common engine under the machine. Where messages occupy nobody each edge
/// travels on its own, as in the delay model; otherwise a task's data for one processor travels together.
/// Over the links of a network, if there is one.
[[nodiscard]] Schedule timed(std::string_view scheduler, const TaskGraph& graph, const logp::Machine& machine,
                             const logp::Allocation& allocation);

/// Gives the timetable's memory back before there are messages; of a million tasks a model is better gone by
/// then, too.
[[nodiscard]] inline Schedule timed(std::string_view scheduler, const TaskGraph& graph,
                                    const logp::Machine& machine, Timetable timetable) {
  const logp::Allocation allocation = allocation_of(graph, machine.processor_count(), timetable);
  timetable = {};
  return timed(scheduler, graph, machine, allocation);
}

}  // namespace takt::schedulers
