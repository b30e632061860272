#pragma once
/// Schedules of many kinds for parts of a machine, to choose from.

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// A schedule for some processors of a machine, these in their order, as one for all of its `processors`.
/// What was proven of the part is forgotten: it is not true of the whole.
[[nodiscard]] Schedule on_whole_machine(Schedule schedule, std::span<const ProcessorId> part,
                                        std::size_t processors);

/// What schedulers for frequency and for makespan make of the first 1, 2, ... of some processors, each asked
/// once. Schedules are for such a part: its processors count from 0, and one for fewer processors is one for
/// more when empty ones are added. Borrows graph and machine.
class Portfolio {
 public:
  /// The options' effort is that of each scheduler; without one, it is small on parts of the machine.
  Portfolio(const TaskGraph& graph, const logp::Machine& machine, std::vector<ProcessorId> processors,
            const RateSchedulers& schedulers, const Options& options);
  /// All processors, fastest first (processor_ranking.hpp).
  Portfolio(const TaskGraph& graph, const logp::Machine& machine, const RateSchedulers& schedulers,
            const Options& options);

  Portfolio(const Portfolio&) = delete;
  Portfolio& operator=(const Portfolio&) = delete;

  /// The graph for these processors in this order.
  [[nodiscard]] const TaskGraph& graph() const { return reordered_ ? *reordered_ : graph_; }
  /// The first `count` processors, as a machine.
  [[nodiscard]] logp::Machine part(std::size_t count) const;
  /// Schedules for that machine, with their own timetables and with those that repeat fastest.
  [[nodiscard]] const std::vector<Schedule>& schedules(std::size_t count);

  /// Whether frames may take turns on equal groups of processors: on a uniform machine, without state.
  [[nodiscard]] bool can_take_turns() const { return can_take_turns_; }
  /// The most processors of each of several groups in so many: one where groups would share links.
  [[nodiscard]] std::size_t largest_group(std::size_t count) const;
  /// For such: copies of the schedules for a group on all groups that there is room for, of each size.
  [[nodiscard]] std::vector<Schedule> copies(std::size_t count);

  /// Schedules for the whole machine in which moldable tasks run on groups of the first `count` processors;
  /// none of graphs without such tasks, or of more than 200 tasks.
  [[nodiscard]] std::vector<Schedule> in_groups(std::size_t count) const;

  /// A schedule for a part, or for fewer processors than it has, as a schedule for the whole machine.
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
