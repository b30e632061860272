#pragma once
/// Groups for moldable tasks with known numbers of processors: the second of two steps.
///
/// List scheduling: when a task ends, those of its successors whose inputs all exist are ready. Ready
/// tasks are placed by falling bottom level (with the time of redistributions within a cluster; of
/// equals the lowest number first). Each is placed once, so that it can wait for its data or its cluster
/// while another one would have room.
///
/// | mapping | a ready task goes to the cluster |
/// |---|---|
/// | ff | where it starts first, with equal speeds and redistributions of no time |
/// | eft | where it ends first, with speeds and redistributions |
/// | best | of look_ahead or ff, whichever schedule is shorter on shared lines |
/// | look_ahead | from which the ends of its successors, each where it ends first, are earliest |
///
/// look_ahead also models shared lines between clusters (shared_lines.hpp). The result of eft replaces
/// it if that is shorter on such lines. Planned times always assume redistributions without
/// contention.
///
/// Of equals the cluster with the lowest number. O(n K (P log P + data)) for n tasks and K clusters of
/// P processors in all; look_ahead up to O(K successors) times as much.
///
/// Sources: first fit and earliest finish time as in Dutot et al. (2009), section 5.2, where EFT loses
/// 13 % if tasks with large outputs are mapped to different clusters; looking at successors as in
/// Bittencourt, Sakellariou, Madeira, "DAG scheduling using a lookahead variant of HEFT" (2010).

#include <span>

#include "schedulers/moldable/group_timeline.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Number of processors of a task in each cluster; 0 where it cannot run.
class GroupSizes {
 public:
  GroupSizes(std::size_t tasks, std::size_t clusters) : clusters_(clusters), sizes_(tasks * clusters, 0) {}

  [[nodiscard]] std::size_t& of(TaskId task, std::size_t cluster) {
    return sizes_[task.index() * clusters_ + cluster];
  }
  [[nodiscard]] std::size_t of(TaskId task, std::size_t cluster) const {
    return sizes_[task.index() * clusters_ + cluster];
  }
  /// Returns the largest number of a task.
  [[nodiscard]] std::size_t largest(TaskId task) const;

 private:
  std::size_t clusters_;
  std::vector<std::size_t> sizes_;
};

/// Returns the schedule, without a scheduler's name. Every task must be able to run somewhere.
[[nodiscard]] GroupTimeline map_groups(const TaskGraph& graph, const logp::Machine& machine,
                                       const Clusters& clusters, const GroupSizes& sizes,
                                       GroupMapping mapping);

/// Returns the makespan of the groups, in their order,
/// with shared lines between clusters (shared_lines.hpp).
[[nodiscard]] Time makespan_on_shared_lines(const GroupTimeline& mapped);

/// Returns the longest paths to an exit with these sizes, data within a cluster included; in ticks.
[[nodiscard]] std::vector<double> bottom_levels(const TaskGraph& graph, const logp::Machine& machine,
                                                const Clusters& clusters, const GroupSizes& sizes);

}  // namespace takt::schedulers
