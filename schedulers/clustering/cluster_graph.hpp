#pragma once
/// The task graph while clusters grow: edges within a cluster count nothing, and a cluster's tasks follow
/// each other.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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

  /// Positions in a cluster at which a task may stand, from `first` to `last`: after all tasks that it
  /// depends on and before all that depend on it.
  struct Positions {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  /// Finds for one task all that it depends on, and that depend on it. O(n + m). Must come before
  /// positions().
  void look_around(TaskId task);
  /// O(log of the tasks in the cluster): what the task depends on stands first there, what depends on it
  /// last.
  [[nodiscard]] Positions positions(std::size_t cluster) const;

  /// Puts a task at a position of a cluster, or into a new one, and computes those levels anew that this
  /// changes. O(n + m), and little more than the changed ones take where the order of the tasks stays.
  void place(TaskId task, std::size_t cluster, std::size_t position);

  /// When all tasks are placed: each as early as it can.
  [[nodiscard]] Timetable timetable() const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] Time delay(EdgeId edge) const;
  /// Marks all tasks reached from one against (`out` false) or along the edges with the current look.
  void mark(TaskId task, bool out, std::vector<std::uint32_t>& marks);
  void order_anew();
  /// The levels of all tasks that are marked as stale, and of those that follow from them.
  void refresh_starts();
  void refresh_levels();
  [[nodiscard]] Time start_of(TaskId task) const;
  [[nodiscard]] Time level_of(TaskId task) const;

  const DelayModel* model_;
  std::vector<std::vector<TaskId>> clusters_;
  /// By task: its cluster, its neighbours there, and the levels.
  std::vector<std::uint32_t> cluster_, before_, after_;
  std::vector<Time> earliest_, level_;
  Time length_{0};
  /// A topological order of the graph as it is now, and each task's rank in it.
  std::vector<TaskId> order_;
  std::vector<std::uint32_t> rank_;
  /// By rank: whose earliest start, and whose level, may have changed.
  std::vector<unsigned char> stale_start_, stale_level_;
  /// The last look that met a task.
  std::vector<std::uint32_t> needed_, needs_;
  std::uint32_t look_ = 0;
  std::vector<TaskId> stack_;
};

}  // namespace takt::schedulers
