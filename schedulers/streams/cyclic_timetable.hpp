#pragma once
/// The timetable of several streams on one machine: a repeated hyperperiod.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/network.hpp"
#include "core/schedule.hpp"
#include "core/stream_requirement.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Operations of many streams in one hyperperiod. Placed operations never move; new ones go into free time.
/// Every frame has tasks of its own in one common graph, named `stream#frame/task`, so the whole is an
/// ordinary schedule of that graph which repeats once per hyperperiod.
class CyclicTimetable {
 public:
  CyclicTimetable(const logp::Machine& machine, Time cycle);

  /// Rebuilds a timetable from a schedule made by `schedule()`: with the same operations, `repeats` cycles of
  /// it in sequence as one.
  CyclicTimetable(const logp::Machine& machine, const TaskGraph& graph, const Schedule& schedule,
                  std::uint32_t repeats);

  [[nodiscard]] Time cycle() const { return cycle_; }
  [[nodiscard]] const logp::Machine& machine() const { return machine_; }
  /// Returns the busy time of a processor per cycle, in total and for a stream.
  [[nodiscard]] Time busy(ProcessorId processor) const;
  [[nodiscard]] Time busy(ProcessorId processor, std::string_view stream) const;
  /// Returns the available time of a processor per cycle: 0 for a closed one.
  [[nodiscard]] Time free(ProcessorId processor) const {
    return is_closed(processor) ? Time{0} : cycle_ - busy(processor);
  }
  /// Blocks new operations on these processors; existing ones stay.
  void close(std::vector<ProcessorId> processors) { closed_ = std::move(processors); }
  [[nodiscard]] bool is_closed(ProcessorId processor) const {
    return std::ranges::find(closed_, processor) != closed_.end();
  }
  [[nodiscard]] std::size_t closed_count() const { return closed_.size(); }
  [[nodiscard]] const std::vector<ProcessorId>& closed() const { return closed_; }
  /// Returns the names of the streams, and their frames per cycle, in the order of their first tasks.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint32_t>> streams() const;

  /// Adds the tasks, edges and data of one frame; returns the indices of its first task and first datum in
  /// the common graph.
  struct Frame {
    std::size_t first_task = 0;
    std::size_t first_datum = 0;
  };
  [[nodiscard]] Frame add_frame(std::string_view stream, std::uint32_t frame, const TaskGraph& graph);

  MessageId add_message(ProcessorId from, ProcessorId to, Bytes size, const std::vector<DatumId>& data);

  /// Stores a stream's requirement for readers of the schedule.
  void note(StreamRequirement requirement) { requirements_.push_back(std::move(requirement)); }
  [[nodiscard]] const std::vector<StreamRequirement>& requirements() const { return requirements_; }

  /// Removes a stream; the others stay unchanged.
  void remove(std::string_view stream);

  /// Returns a stream's operations of one frame of the cycle, by processor in the order of start.
  [[nodiscard]] std::vector<std::vector<Operation>> operations_of(std::string_view stream,
                                                                  std::uint32_t frame) const;
  /// Returns the number of a task in its stream's own graph.
  [[nodiscard]] std::size_t own_number(TaskId task) const;

  /// Puts an operation into the first interval from `ready` on in which its processor is free in every cycle,
  /// with all gaps to other sends or receives. Returns its start; nothing if there is no such interval before
  /// the processor's next cycle begins.
  [[nodiscard]] std::optional<Time> put(ProcessorId processor, OperationKind kind, std::uint32_t subject,
                                        Time length, Time ready);
  /// Sends a message that leaves its processor at `ready` over the links of the network along the shortest
  /// path, each link in the first interval from then on in which it is free in every cycle. Returns its
  /// arrival; nothing if a link has no such interval. Without a network, and within a node, messages use no
  /// links.
  [[nodiscard]] std::optional<Time> pass_links(MessageId message, Time ready);
  /// Returns whether a message uses links.
  [[nodiscard]] bool passes_links(ProcessorId from, ProcessorId to) const;

  /// Returns the ends of operations and gaps on a processor: good start times for a new stream.
  [[nodiscard]] std::vector<Time> ends(ProcessorId processor) const;

  [[nodiscard]] TaskGraph graph() const;
  [[nodiscard]] Schedule schedule() const;

 private:
  struct EdgeOf {
    DatumId datum;
    TaskId to;
  };
  [[nodiscard]] bool is_free(ProcessorId processor, const Operation& operation) const;
  [[nodiscard]] Time gap_after(const Operation& operation) const;
  [[nodiscard]] std::string_view stream_of(const Operation& operation) const;
  /// Returns the first start from `ready` on of a transfer in free time of a link; nothing if there is none.
  [[nodiscard]] std::optional<Time> free_on_link(LinkId link, Time ready, Time length) const;
  /// The same for several links together.
  [[nodiscard]] std::optional<Time> free_on_links(std::span<const LinkId> links, Time ready,
                                                  Time length) const;
  void append(const TaskGraph& graph, const std::vector<std::string>& names);

  logp::Machine machine_;
  Time cycle_;
  std::vector<Task> tasks_;
  std::vector<std::pair<TaskId, Bytes>> data_;
  std::vector<EdgeOf> edges_;
  Schedule schedule_;
  std::vector<StreamRequirement> requirements_;
  /// The shortest paths, on a network. Shared by trial copies of the timetable: constant.
  std::shared_ptr<const Routes> routes_;
  /// Transfers of each link.
  std::vector<std::vector<Hop>> on_link_;
  std::vector<ProcessorId> closed_;
};

}  // namespace takt::schedulers
