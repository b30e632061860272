#pragma once
/// The timetable of several streams on one machine: one cycle that repeats.

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

/// Operations of many streams in one cycle. What has been added never moves; new operations go into what is
/// free. Every frame of the cycle has tasks of its own in one common graph, named `stream#frame/task`, so
/// that the whole is an ordinary schedule of that graph which repeats once a cycle.
class CyclicTimetable {
 public:
  CyclicTimetable(const logp::Machine& machine, Time cycle);

  /// From a schedule that holds one, as `schedule()` gives it: with the same operations, `repeats` cycles of
  /// it one after the other as one.
  CyclicTimetable(const logp::Machine& machine, const TaskGraph& graph, const Schedule& schedule,
                  std::uint32_t repeats);

  [[nodiscard]] Time cycle() const { return cycle_; }
  [[nodiscard]] const logp::Machine& machine() const { return machine_; }
  /// Time of a cycle in which a processor does something; does something for a stream.
  [[nodiscard]] Time busy(ProcessorId processor) const;
  [[nodiscard]] Time busy(ProcessorId processor, std::string_view stream) const;
  /// Time of a cycle that is nobody's, and may be had: nothing of a closed processor.
  [[nodiscard]] Time free(ProcessorId processor) const {
    return is_closed(processor) ? Time{0} : cycle_ - busy(processor);
  }
  /// Nothing new is put on these processors; what is there stays.
  void close(std::vector<ProcessorId> processors) { closed_ = std::move(processors); }
  [[nodiscard]] bool is_closed(ProcessorId processor) const {
    return std::ranges::find(closed_, processor) != closed_.end();
  }
  [[nodiscard]] std::size_t closed_count() const { return closed_.size(); }
  [[nodiscard]] const std::vector<ProcessorId>& closed() const { return closed_; }
  /// The names of the streams, and how many frames of each the cycle has, in the order of their first tasks.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint32_t>> streams() const;

  /// Adds the tasks, edges and data of one frame; the first task's index in the common graph, and the first
  /// datum's.
  struct Frame {
    std::size_t first_task = 0;
    std::size_t first_datum = 0;
  };
  [[nodiscard]] Frame add_frame(std::string_view stream, std::uint32_t frame, const TaskGraph& graph);

  MessageId add_message(ProcessorId from, ProcessorId to, Bytes size, const std::vector<DatumId>& data);

  /// Notes what a stream was asked for, for those who read the schedule.
  void note(StreamRequirement requirement) { requirements_.push_back(std::move(requirement)); }
  [[nodiscard]] const std::vector<StreamRequirement>& requirements() const { return requirements_; }

  /// Takes a stream away; the others stay where they are.
  void remove(std::string_view stream);

  /// What a stream does, by processor in the order of start: its operations of one frame of the cycle.
  [[nodiscard]] std::vector<std::vector<Operation>> operations_of(std::string_view stream,
                                                                  std::uint32_t frame) const;
  /// A task of the common graph: the number that it has in its stream's own.
  [[nodiscard]] std::size_t own_number(TaskId task) const;

  /// Puts an operation into the first place from `ready` on where its processor is free in every cycle, with
  /// all gaps to other sends or receives. Returns its start; nothing when there is no such place before the
  /// processor's next cycle begins.
  [[nodiscard]] std::optional<Time> put(ProcessorId processor, OperationKind kind, std::uint32_t subject,
                                        Time length, Time ready);
  /// Sends a message that leaves its processor at `ready` over the links of the machine's network along the
  /// shortest way, each link in the first time from then on when it carries nothing in any cycle. Returns
  /// when it is there; nothing when a link has no such time. Without a network, and within a node, messages
  /// pass no links.
  [[nodiscard]] std::optional<Time> pass_links(MessageId message, Time ready);
  /// Whether a message passes links.
  [[nodiscard]] bool passes_links(ProcessorId from, ProcessorId to) const;

  /// Times at which something ends on a processor: where a new stream can best begin.
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
  /// The first start from `ready` on of a transfer that a link is free for; nothing when it never is.
  [[nodiscard]] std::optional<Time> free_on_link(LinkId link, Time ready, Time length) const;
  void append(const TaskGraph& graph, const std::vector<std::string>& names);

  logp::Machine machine_;
  Time cycle_;
  std::vector<Task> tasks_;
  std::vector<std::pair<TaskId, Bytes>> data_;
  std::vector<EdgeOf> edges_;
  Schedule schedule_;
  std::vector<StreamRequirement> requirements_;
  /// The shortest ways, where the machine has a network. Shared by the copies that try places: never changed.
  std::shared_ptr<const Routes> routes_;
  /// Transfers of each link.
  std::vector<std::vector<Hop>> on_link_;
  std::vector<ProcessorId> closed_;
};

}  // namespace takt::schedulers
