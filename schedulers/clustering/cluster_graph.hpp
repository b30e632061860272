#pragma once
/// The task graph while clusters grow: edges within a cluster count nothing, and a cluster's tasks run one
/// after the other.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/clustering/cluster_order.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

/// Earliest and latest starts of all tasks, placed or not, for algorithms that place tasks in any order.
class ClusterGraph {
 public:
  /// Borrows the model and uses its means.
  explicit ClusterGraph(const DelayModel& model);

  [[nodiscard]] std::size_t cluster_count() const { return clusters_.size(); }
  /// Returns the cluster's tasks in order.
  [[nodiscard]] std::span<const TaskId> tasks(std::size_t cluster) const { return clusters_[cluster]; }
  [[nodiscard]] bool placed(TaskId task) const { return cluster_[task.index()] != none; }
  /// Requires a placed task.
  [[nodiscard]] std::size_t cluster(TaskId task) const { return cluster_[task.index()]; }

  /// Returns the t-level; latest_start(): critical path minus b-level. Both in the current graph.
  [[nodiscard]] Time earliest_start(TaskId task) const { return earliest_[task.index()]; }
  [[nodiscard]] Time latest_start(TaskId task) const { return length_ - level_[task.index()]; }
  [[nodiscard]] Time mobility(TaskId task) const { return latest_start(task) - earliest_start(task); }
  [[nodiscard]] Time length() const { return length_; }
  [[nodiscard]] Time earliest_end(TaskId task) const {
    return earliest_start(task) + model_->mean_duration(task);
  }

  /// Returns the same as if the task were in a cluster, considering only its parents and children;
  /// cluster_count() stands for a new one.
  [[nodiscard]] Time earliest_start(TaskId task, std::size_t cluster) const;
  [[nodiscard]] Time latest_start(TaskId task, std::size_t cluster) const;

  /// A position between two tasks of a cluster, and the start of a task there.
  struct Gap {
    std::size_t position = 0;
    Time start{0};
  };
  /// Whether the tasks after the gap may be delayed.
  enum class Pushing : std::uint8_t { none, to_latest_starts };

  /// Chooses the task for first_gap(), until place() is called.
  void look_around(TaskId task) { order_.look_from(task); }
  /// Returns the first gap in a cluster after all ancestors and before all descendants of the task that holds
  /// it between the arrival of its data and its latest end. O(log of the cluster's tasks), plus the long
  /// enough gaps, few of which need a search by ClusterOrder.
  [[nodiscard]] std::optional<Gap> first_gap(TaskId task, std::size_t cluster, Pushing pushing);

  /// Puts a task at a position of a cluster, or into a new one, and updates the affected levels. Costs the
  /// affected tasks, and O(n) fast steps.
  void place(TaskId task, std::size_t cluster, std::size_t position);

  /// Returns the earliest starts of all tasks, once all are placed.
  [[nodiscard]] Timetable timetable() const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] Time delay(EdgeId edge) const;
  /// Whether the chosen `task` must come after the placed task `other`, or before it.
  [[nodiscard]] bool must_come_after(TaskId task, TaskId other);
  [[nodiscard]] bool must_come_before(TaskId task, TaskId other);
  /// Recomputes the stale levels and those that depend on them.
  void refresh_starts();
  void refresh_levels();
  [[nodiscard]] Time start_of(TaskId task) const;
  [[nodiscard]] Time level_of(TaskId task) const;

  const DelayModel* model_;
  std::vector<std::vector<TaskId>> clusters_;
  /// Per task: its cluster and the levels.
  std::vector<std::uint32_t> cluster_;
  std::vector<Time> earliest_, level_;
  Time length_{0};
  /// Order of the current graph.
  ClusterOrder order_;
  /// By rank: whether the earliest start, or the level, may have changed.
  std::vector<unsigned char> stale_start_, stale_level_;
};

}  // namespace takt::schedulers
