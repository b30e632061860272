#pragma once
/// Schedules of many schedulers for parts of a machine, to choose from.

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Converts a schedule for some processors of a machine, in their order, to one for all of its `processors`.
/// Drops the proofs, which hold for the part only.
[[nodiscard]] Schedule on_whole_machine(Schedule schedule, std::span<const ProcessorId> part,
                                        std::size_t processors);

/// Schedules by schedulers for frequency and for makespan on the first 1, 2, ... of some processors, each run
/// once. Schedules are for such a part: its processors count from 0, and adding empty processors turns a
/// schedule into one for more. Borrows graph and machine.
class Portfolio {
 public:
  /// The options' effort applies to each scheduler; by default, it is small on parts of the machine.
  Portfolio(const TaskGraph& graph, const logp::Machine& machine, std::vector<ProcessorId> processors,
            const RateSchedulers& schedulers, const Options& options);
  /// All processors, fastest first (processor_ranking.hpp).
  Portfolio(const TaskGraph& graph, const logp::Machine& machine, const RateSchedulers& schedulers,
            const Options& options);

  Portfolio(const Portfolio&) = delete;
  Portfolio& operator=(const Portfolio&) = delete;

  /// Returns the graph for these processors in this order.
  [[nodiscard]] const TaskGraph& graph() const { return reordered_ ? *reordered_ : graph_; }
  /// Returns the first `count` processors, as a machine.
  [[nodiscard]] logp::Machine part(std::size_t count) const;
  /// Returns the schedules for that machine, with their own timetables and with the least periods.
  [[nodiscard]] const std::vector<Schedule>& schedules(std::size_t count);

  /// Returns whether frames may alternate between equal groups: on a uniform machine, without state.
  [[nodiscard]] bool can_take_turns() const { return can_take_turns_; }
  /// Returns the largest size of several groups of `count` processors: one if groups would share links.
  [[nodiscard]] std::size_t largest_group(std::size_t count) const;
  /// Returns copies of the schedules for a group, except pipelined ones, on all groups that fit, for each
  /// size.
  [[nodiscard]] std::vector<Schedule> copies(std::size_t count);

  /// Returns schedules for the whole machine with moldable tasks on groups of the first `count` processors;
  /// none for graphs without such tasks, or with more than 200 tasks.
  [[nodiscard]] std::vector<Schedule> in_groups(std::size_t count) const;

  /// Converts a schedule for a part, or for fewer processors, to one for the whole machine.
  [[nodiscard]] Schedule on_machine(const Schedule& schedule) const;

 private:
  const TaskGraph& graph_;
  /// With the columns of a table of times in the order of the processors.
  std::optional<TaskGraph> reordered_;
  const logp::Machine& machine_;
  RateSchedulers schedulers_;
  Options options_;
  std::vector<ProcessorId> processors_;
  bool can_take_turns_;
  std::map<std::size_t, std::vector<Schedule>> known_;
};

}  // namespace takt::schedulers
