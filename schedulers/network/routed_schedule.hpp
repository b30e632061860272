#pragma once
/// A partial schedule on processors connected by links:
/// every message is routed, and links are shared.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/network/link_traffic.hpp"

namespace takt::schedulers {

/// A timetable and the route of each message.
struct RoutedTimetable : Timetable {
  /// The hops of all messages, and the range of each edge's hops;
  /// an edge within a processor has none.
  std::vector<Hop> hops;
  struct Route {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<Route> routes;
};

/// Returns the schedule as decided if messages occupy no processor; otherwise the common engine times the
/// order of the tasks. O(n log n + m + hops).
[[nodiscard]] Schedule timed(std::string_view scheduler, const TaskGraph& graph, const logp::Machine& machine,
                             const RoutedTimetable& timetable);

/// Messages take send overhead, the time of each link (without links the latency), and receive overhead. The
/// messages of a task use the links in the order of their senders' ends. The engine adds gaps when it times
/// the decisions.
class RoutedSchedule {
 public:
  /// Borrows both. O(n + m + nodes (links + nodes) log nodes): copying an empty one is cheaper than
  /// constructing a second.
  RoutedSchedule(const DelayModel& model, const logp::Machine& machine, Trace* trace = nullptr);

  [[nodiscard]] const DelayModel& model() const { return partial_.model(); }
  [[nodiscard]] const PartialSchedule& partial() const { return partial_; }

  /// Returns the arrival of the task's last input on the processor, if its messages were sent now.
  /// O(distance) hops for each message, see LinkTraffic; O(in-degree log in-degree) at the first call.
  [[nodiscard]] Time arrival(TaskId task, ProcessorId processor);

  /// Puts a task on a processor, after all tasks there or into the first idle interval that holds it, and
  /// sends its messages.
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

  /// Records a considered slot of the next task for the trace.
  void consider(Slot slot, std::string_view compared, Time value) {
    partial_.consider(slot, compared, value);
  }
  [[nodiscard]] bool is_traced() const { return partial_.is_traced(); }

  /// Returns the task's start after all tasks on the processor.
  [[nodiscard]] Time appended_start(TaskId task, ProcessorId processor) {
    return std::max(partial_.ready_time(processor), arrival(task, processor));
  }
  /// Returns the task's start in the first idle interval that holds it.
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
  /// Reserves the links for the task's messages; returns when the last one has arrived.
  Time send(TaskId task, ProcessorId processor);
  /// Sorts the task's messages; they stay in `edges_`.
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
  /// The last considered task:
  /// its hops, its edges in the order of the messages, their numbers of hops.
  std::optional<TaskId> receiver_;
  std::vector<Hop> hops_;
  std::vector<EdgeId> edges_;
  std::vector<std::uint32_t> hop_counts_;
};

}  // namespace takt::schedulers
