#pragma once
/// Decisions of an algorithm under the delay model, and their timing under a machine.

#include <string_view>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "logp/timing.hpp"

namespace takt::schedulers {

/// Processor, start and end of every task, indexed by task.
struct Timetable {
  std::vector<ProcessorId> processor;
  std::vector<Time> start;
  std::vector<Time> end;

  Timetable() = default;
  explicit Timetable(std::size_t task_count)
      : processor(task_count), start(task_count, Time{0}), end(task_count, Time{0}) {}

  /// Returns the last end: the schedule length of the papers.
  [[nodiscard]] Time length() const;
  /// Returns the timetable in reversed time.
  [[nodiscard]] Timetable reversed() const;
};

/// Returns each processor's tasks in the order of their starts; equal starts in the order of their ends, then
/// in topological order. O(n log n).
[[nodiscard]] logp::Allocation allocation_of(const TaskGraph& graph, std::size_t processor_count,
                                             const Timetable& timetable);

/// Returns whether messages never occupy a processor.
[[nodiscard]] bool messages_occupy_no_processor(const logp::Machine& machine);
/// Returns whether the delay model is exact: messages only take time, and no shared links.
[[nodiscard]] bool is_delay_model(const logp::Machine& machine);

/// Times the allocation with the common engine under the machine. If messages occupy no processor, each edge
/// is a message of its own, as in the delay model; otherwise a task's data for one processor is one message.
/// Uses the links of the network, if there is one.
[[nodiscard]] Schedule timed(std::string_view scheduler, const TaskGraph& graph, const logp::Machine& machine,
                             const logp::Allocation& allocation);

/// Frees the timetable's memory before there are messages; for a million tasks a model should be freed by
/// then, too.
[[nodiscard]] inline Schedule timed(std::string_view scheduler, const TaskGraph& graph,
                                    const logp::Machine& machine, Timetable timetable) {
  const logp::Allocation allocation = allocation_of(graph, machine.processor_count(), timetable);
  timetable = {};
  return timed(scheduler, graph, machine, allocation);
}

}  // namespace takt::schedulers
