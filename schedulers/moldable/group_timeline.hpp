#pragma once
/// Free times of groups of processors, and schedules of groups.

#include <optional>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/moldable/clusters.hpp"

namespace takt::schedulers {

/// Cluster, processors and times of a task.
struct GroupPlacement {
  std::size_t cluster = 0;
  /// In ascending order.
  std::vector<ProcessorId> group;
  Time start{0};
  Time end{0};
};

/// Tasks on groups, each after the earlier tasks of its processors. Data of placed tasks count with the exact
/// time of their redistribution (logp/redistribution.hpp), or not at all.
class GroupTimeline {
 public:
  GroupTimeline(const TaskGraph& graph, const logp::Machine& machine, const Clusters& clusters,
                bool counts_data = true);

  /// Returns the placement of a task on `count` processors of a cluster: those that become free first. Of
  /// processors that are free by then, first those that hold most of its data, then those that became free
  /// last. Its predecessors must be placed. O(processors log processors + data).
  [[nodiscard]] GroupPlacement find(TaskId task, std::size_t cluster, std::size_t count) const;
  void place(TaskId task, GroupPlacement placement);

  [[nodiscard]] bool is_placed(TaskId task) const { return !placements_[task.index()].group.empty(); }
  [[nodiscard]] const GroupPlacement& placement(TaskId task) const { return placements_[task.index()]; }
  [[nodiscard]] Time free_from(ProcessorId processor) const { return free_[processor.index()]; }
  /// Returns when `count` processors of a cluster are free, given another task's tentative placement.
  [[nodiscard]] Time free_from(std::size_t cluster, std::size_t count, const GroupPlacement& besides) const;
  [[nodiscard]] Time makespan() const;

  [[nodiscard]] const TaskGraph& graph() const { return graph_; }
  [[nodiscard]] const logp::Machine& machine() const { return machine_; }
  [[nodiscard]] const Clusters& clusters() const { return clusters_; }

  /// Requires all tasks to be placed. If every group is a single processor, messages move the data (task
  /// messages of logp/timing.hpp), as in other schedules.
  [[nodiscard]] Schedule schedule(std::string_view scheduler) const;

 private:
  /// Returns the arrival of a task's data, regardless of when the processors are free.
  [[nodiscard]] Time data_ready(TaskId task, std::span<const ProcessorId> group) const;

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  const Clusters& clusters_;
  bool counts_data_;
  std::vector<Time> free_;
  std::vector<GroupPlacement> placements_;
};

}  // namespace takt::schedulers
