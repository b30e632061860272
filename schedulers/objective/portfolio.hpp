#pragma once
/// Schedules of many kinds for parts of a machine, to choose from.

#include <map>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "core/task_graph.hpp"
#include "logp/machine.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The `count` fastest processors, of equal ones those with the lowest numbers; with a table of times, the
/// first ones.
[[nodiscard]] std::vector<ProcessorId> best_processors(const TaskGraph& graph, const logp::Machine& machine,
                                                       std::size_t count);

/// What schedulers for frequency and for makespan make of the 1, 2, ... best processors, each asked once.
/// Schedules are for such a part: its processors count from 0, and one for fewer processors is one for more
/// when empty ones are added. Borrows graph and machine.
class Portfolio {
 public:
  /// The options' effort is that of each scheduler; without one, optfo's is small on parts of the machine.
  Portfolio(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

  /// The `count` best processors, as a machine.
  [[nodiscard]] logp::Machine part(std::size_t count) const;
  /// Schedules for that machine, with their own timetables and with those that repeat fastest.
  [[nodiscard]] const std::vector<Schedule>& schedules(std::size_t count);

  /// Whether frames may take turns on equal groups of processors: on a uniform machine, without state.
  [[nodiscard]] bool can_take_turns() const { return can_take_turns_; }
  /// The most processors of each of several groups in so many: one where groups would share links.
  [[nodiscard]] std::size_t largest_group(std::size_t count) const;
  /// For such: copies of the schedules for a group on all groups that there is room for, of each size.
  [[nodiscard]] std::vector<Schedule> copies(std::size_t count);

  /// A schedule for a part, or for fewer processors than it has, as a schedule for the whole machine.
  [[nodiscard]] Schedule on_machine(const Schedule& schedule) const;

 private:
  const TaskGraph& graph_;
  const logp::Machine& machine_;
  Options options_;
  std::vector<ProcessorId> processors_;
  bool can_take_turns_;
  std::map<std::size_t, std::vector<Schedule>> known_;
};

}  // namespace takt::schedulers
