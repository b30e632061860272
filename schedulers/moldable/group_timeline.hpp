#pragma once
/// Where groups of processors are free, and schedules made of groups.

#include <optional>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/moldable/clusters.hpp"

namespace takt::schedulers {

/// A task's place.
struct GroupPlacement {
  std::size_t cluster = 0;
  /// In ascending order.
  std::vector<ProcessorId> group;
  Time start{0};
  Time end{0};
};

/// Tasks on groups, each behind what its processors do already. Data of placed tasks count with the exact
/// time of their redistribution (logp/redistribution.hpp), or not at all.
class GroupTimeline {
 public:
  GroupTimeline(const TaskGraph& graph, const logp::Machine& machine, const Clusters& clusters,
                bool counts_data = true);

  /// Where and when a task with so many processors of a cluster would run: on those that are free first; of
  /// processors that are free by then, first those that hold most of its data, then those that became free
  /// last. Its predecessors are placed. O(processors log processors + data).
  [[nodiscard]] GroupPlacement find(TaskId task, std::size_t cluster, std::size_t count) const;
  void place(TaskId task, GroupPlacement placement);

  [[nodiscard]] bool is_placed(TaskId task) const { return !placements_[task.index()].group.empty(); }
  [[nodiscard]] const GroupPlacement& placement(TaskId task) const { return placements_[task.index()]; }
  [[nodiscard]] Time free_from(ProcessorId processor) const { return free_[processor.index()]; }
  /// When so many processors of a cluster are free; with a task's place in mind that is not placed yet.
  [[nodiscard]] Time free_from(std::size_t cluster, std::size_t count, const GroupPlacement& besides) const;
  [[nodiscard]] Time makespan() const;

  [[nodiscard]] const TaskGraph& graph() const { return graph_; }
  [[nodiscard]] const logp::Machine& machine() const { return machine_; }
  [[nodiscard]] const Clusters& clusters() const { return clusters_; }

  /// All tasks are placed. Where every group is a single processor the data move as messages instead (task
  /// messages of logp/timing.hpp), so that the schedule is one as all others.
  [[nodiscard]] Schedule schedule(std::string_view scheduler) const;

 private:
  /// When a task's data are there, without regard to the processors.
  [[nodiscard]] Time data_ready(TaskId task, std::span<const ProcessorId> group) const;

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  const Clusters& clusters_;
  bool counts_data_;
  std::vector<Time> free_;
  std::vector<GroupPlacement> placements_;
};

}  // namespace takt::schedulers
