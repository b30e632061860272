#pragma once
/// The task graph while clusters grow: edges within a cluster count nothing, and a cluster's tasks follow
/// each other.

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
  /// Borrows the model, of which the means count.
  explicit ClusterGraph(const DelayModel& model);

  [[nodiscard]] std::size_t cluster_count() const { return clusters_.size(); }
  /// The cluster's tasks in order.
  [[nodiscard]] std::span<const TaskId> tasks(std::size_t cluster) const { return clusters_[cluster]; }
  [[nodiscard]] bool placed(TaskId task) const { return cluster_[task.index()] != none; }
  /// Only of a placed task.
  [[nodiscard]] std::size_t cluster(TaskId task) const { return cluster_[task.index()]; }

  /// t-level, and critical path minus b-level, in the graph as it is now.
  [[nodiscard]] Time earliest_start(TaskId task) const { return earliest_[task.index()]; }
  [[nodiscard]] Time latest_start(TaskId task) const { return length_ - level_[task.index()]; }
  [[nodiscard]] Time mobility(TaskId task) const { return latest_start(task) - earliest_start(task); }
  [[nodiscard]] Time length() const { return length_; }
  [[nodiscard]] Time earliest_end(TaskId task) const {
    return earliest_start(task) + model_->mean_duration(task);
  }

  /// The same two of a task if it were in a cluster, by its parents and children alone; cluster_count() is a
  /// new one.
  [[nodiscard]] Time earliest_start(TaskId task, std::size_t cluster) const;
  [[nodiscard]] Time latest_start(TaskId task, std::size_t cluster) const;

  /// A place between two tasks of a cluster, and when a task would start there.
  struct Gap {
    std::size_t position = 0;
    Time start{0};
  };
  /// What may become of the tasks behind it.
  enum class Pushing : std::uint8_t { none, to_latest_starts };

  /// Chooses the task that first_gap() is about, until place() is called.
  void look_around(TaskId task) { order_.look_from(task); }
  /// The first place in a cluster behind all that the task depends on, and before all that depends on it,
  /// that holds it between its parents' data and its own latest end. O(log of the cluster's tasks) and the
  /// gaps that are long enough, of which little is asked that ClusterOrder does not know.
  [[nodiscard]] std::optional<Gap> first_gap(TaskId task, std::size_t cluster, Pushing pushing);

  /// Puts a task at a position of a cluster, or into a new one, and computes those levels anew that this
  /// changes. What the changed ones take, and O(n) quick steps.
  void place(TaskId task, std::size_t cluster, std::size_t position);

  /// When all tasks are placed: each as early as it can.
  [[nodiscard]] Timetable timetable() const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] Time delay(EdgeId edge) const;
  /// Whether one placed task must come before, or behind, the one that is looked around at.
  [[nodiscard]] bool comes_before(TaskId task, TaskId other);
  [[nodiscard]] bool comes_behind(TaskId task, TaskId other);
  /// The levels of all tasks that are marked as stale, and of those that follow from them.
  void refresh_starts();
  void refresh_levels();
  [[nodiscard]] Time start_of(TaskId task) const;
  [[nodiscard]] Time level_of(TaskId task) const;

  const DelayModel* model_;
  std::vector<std::vector<TaskId>> clusters_;
  /// By task: its cluster and the levels.
  std::vector<std::uint32_t> cluster_;
  std::vector<Time> earliest_, level_;
  Time length_{0};
  /// Of the graph as it is now.
  ClusterOrder order_;
  /// By rank: whose earliest start, and whose level, may have changed.
  std::vector<unsigned char> stale_start_, stale_level_;
};

}  // namespace takt::schedulers
