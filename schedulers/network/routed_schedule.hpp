#pragma once
/// A partial schedule on processors that are connected by links: every message is routed, and links are
/// shared.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/network/link_traffic.hpp"

namespace takt::schedulers {

/// A timetable and the way of each message.
struct RoutedTimetable : Timetable {
  /// The hops of all messages, and where in them those of each edge stand; an edge within a processor has
  /// none.
  std::vector<Hop> hops;
  struct Route {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<Route> routes;
};

/// The schedule as it was decided, where messages occupy nobody; otherwise the
/// common engine times the order of the tasks. O(n log n + m + hops).
[[nodiscard]] Schedule timed(std::string_view scheduler, const TaskGraph& graph, const logp::Machine& machine,
                             const RoutedTimetable& timetable);

/// Messages take send overhead, the time of each link (without links the latency), and receive overhead; the
/// order in which those of a task take the links is that of their senders' ends. Gaps are left to the engine,
/// which times what was decided.
class RoutedSchedule {
 public:
  /// Borrows both. O(n + m + nodes (links + nodes) log nodes): a copy of an empty one is cheaper than a
  /// second.
  RoutedSchedule(const DelayModel& model, const logp::Machine& machine, Trace* trace = nullptr);

  [[nodiscard]] const DelayModel& model() const { return partial_.model(); }
  [[nodiscard]] const PartialSchedule& partial() const { return partial_; }

  /// When the last of the task's data is on the processor, if its messages were sent now.
  /// O(distance) hops for each message, see LinkTraffic; O(in-degree log in-degree) the first time.
  [[nodiscard]] Time arrival(TaskId task, ProcessorId processor);

  /// Puts a task on a processor, after all tasks there or into the first idle interval
  /// that holds it, and sends its messages.
  template <class Why>
  void append(TaskId task, ProcessorId processor, Why why) {
    const Time arrival = send(task, processor);
    put(task, {processor, std::max(arrival, partial_.ready_time(processor))}, why);
  }
  template <class Why>
  void insert(TaskId task, ProcessorId processor, Why why) {
    const Time arrival = send(task, processor);
    put(task, {processor, idle_[processor.index()].earliest(arrival, model().duration(task, processor))},
        why);
  }

  /// Notes for the trace a slot that is looked at for the task that will be placed next.
  void consider(Slot slot, std::string_view compared, Time value) {
    partial_.consider(slot, compared, value);
  }
  [[nodiscard]] bool is_traced() const { return partial_.is_traced(); }

  /// When the task would start after all tasks on the processor.
  [[nodiscard]] Time appended_start(TaskId task, ProcessorId processor) {
    return std::max(partial_.ready_time(processor), arrival(task, processor));
  }
  /// When the task would start in the first idle interval that holds it.
  [[nodiscard]] Time earliest_start(TaskId task, ProcessorId processor) {
    return idle_[processor.index()].earliest(arrival(task, processor), model().duration(task, processor));
  }

  [[nodiscard]] RoutedTimetable take() && {
    return {std::move(partial_).take(), std::move(taken_hops_), std::move(routes_)};
  }

 private:
  template <class Why>
  void put(TaskId task, Slot slot, Why why) {
    partial_.place(task, slot, why);
    idle_[slot.processor.index()].reserve(slot.start, partial_.end(task) - slot.start);
  }
  /// Takes the links for the task's messages; returns when the last one has arrived.
  Time send(TaskId task, ProcessorId processor);
  /// Puts the task's messages in order: they stay in `edges_`.
  void collect_messages(TaskId task);
  /// Finds the hops of all messages to a task on a processor; they stay in `hops_`.
  Time route(TaskId task, ProcessorId processor);

  const logp::Machine* machine_;
  LinkTraffic links_;
  PartialSchedule partial_;
  std::vector<Timeline> idle_;
  /// Of the messages of placed tasks.
  std::vector<Hop> taken_hops_;
  std::vector<RoutedTimetable::Route> routes_;
  /// The task that was looked at last: its hops, its edges in the order of the messages, their numbers of
  /// hops.
  std::optional<TaskId> receiver_;
  std::vector<Hop> hops_;
  std::vector<EdgeId> edges_;
  std::vector<std::uint32_t> hop_counts_;
};

}  // namespace takt::schedulers
