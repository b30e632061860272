#pragma once
/// Which groups run moldable tasks whose numbers of processors are known: the second of two steps.
///
/// List scheduling: when a task ends, those of its successors whose inputs are all made are ready; ready
/// tasks are placed by falling bottom level (with the time of redistributions within a cluster; of equals the
/// lowest number first), so that none waits while it fits somewhere.
///
/// | mapping | a ready task goes to the cluster |
/// |---|---|
/// | ff | where it starts first, as if speeds were equal and data moved in no time |
/// | eft | where it ends first, with speeds and redistributions |
/// | look_ahead | from which the ends of its successors, each where it ends first, are earliest |
///
/// look_ahead also reckons with the lines between clusters being shared (shared_lines.hpp). The result of eft
/// stays where it is no longer on such lines. Planned times are those of redistributions by themselves, in
/// any case.
///
/// Of equals the cluster with the lowest number. O(n K (P log P + data)) for n tasks and K clusters of P
/// processors in all; look_ahead O(K successors) times as much at worst.
///
/// Sources: first fit and earliest finish time as in Dutot et al. (2009), section 5.2, which shows EFT losing
/// 13 % where tasks with large outputs land in different clusters; looking at successors as in Bittencourt,
/// Sakellariou, Madeira, "DAG scheduling using a lookahead variant of HEFT" (2010).

#include <span>

#include "schedulers/moldable/group_timeline.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// How many processors a task gets in each cluster; 0 where it cannot run.
class GroupSizes {
 public:
  GroupSizes(std::size_t tasks, std::size_t clusters) : clusters_(clusters), sizes_(tasks * clusters, 0) {}

  [[nodiscard]] std::size_t& of(TaskId task, std::size_t cluster) {
    return sizes_[task.index() * clusters_ + cluster];
  }
  [[nodiscard]] std::size_t of(TaskId task, std::size_t cluster) const {
    return sizes_[task.index() * clusters_ + cluster];
  }
  /// The largest of a task.
  [[nodiscard]] std::size_t largest(TaskId task) const;

 private:
  std::size_t clusters_;
  std::vector<std::size_t> sizes_;
};

/// The schedule, without a scheduler's name. Every task can run somewhere.
[[nodiscard]] GroupTimeline map_groups(const TaskGraph& graph, const logp::Machine& machine,
                                       const Clusters& clusters, const GroupSizes& sizes,
                                       GroupMapping mapping);

/// How long the groups would take, in their order, were data between clusters to share the lines
/// (shared_lines.hpp).
[[nodiscard]] Time makespan_on_shared_lines(const GroupTimeline& mapped);

/// Longest paths to an exit with these numbers of processors, data within a cluster included; in ticks.
[[nodiscard]] std::vector<double> bottom_levels(const TaskGraph& graph, const logp::Machine& machine,
                                                const Clusters& clusters, const GroupSizes& sizes);

}  // namespace takt::schedulers
