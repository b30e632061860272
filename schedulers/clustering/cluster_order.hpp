#pragma once
/// A topological order of a graph under insertion of tasks into sequences.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// The graph's edges plus the sequences of tasks, and each task's rank in a topological order of both.
///
/// A new pair in the wrong order moves only the tasks between its two ranks that depend on the one or that
/// the other depends on. Source: D. J. Pearce, P. H. J. Kelly, "A dynamic topological sort algorithm for
/// directed acyclic graphs", Journal of Experimental Algorithmics 11 (2007).
class ClusterOrder {
 public:
  /// Borrows the graph. O(n).
  explicit ClusterOrder(const TaskGraph& graph);

  [[nodiscard]] std::size_t rank(TaskId task) const { return rank_[task.index()]; }
  [[nodiscard]] TaskId at(std::size_t rank) const { return order_[rank]; }
  [[nodiscard]] std::size_t size() const { return order_.size(); }
  /// Returns the task directly before, or directly after, a task in its sequence.
  [[nodiscard]] std::optional<TaskId> before(TaskId task) const { return link(before_, task); }
  [[nodiscard]] std::optional<TaskId> after(TaskId task) const { return link(after_, task); }

  /// Puts a task between two neighbours of a sequence, or at an end. Must not create a cycle. O(log) a task,
  /// and O(1) an edge, of those that move.
  void put(TaskId task, std::optional<TaskId> before, std::optional<TaskId> after);

  /// Chooses the task for the following queries, until put() is called.
  void look_from(TaskId task);
  /// Returns whether that task depends on the other one; is_needed_by(): whether the other one depends on it.
  /// All queries for one task together take O(n + m), less for tasks of near ranks.
  [[nodiscard]] bool needs(TaskId other);
  [[nodiscard]] bool is_needed_by(TaskId other);

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static std::optional<TaskId> link(const std::vector<std::uint32_t>& links, TaskId task) {
    const std::uint32_t other = links[task.index()];
    return other == none ? std::nullopt : std::optional(TaskId(other));
  }

  enum class Direction : std::uint8_t { against, along };
  template <Direction direction, class Visit>
  void for_each_next(TaskId task, const Visit& visit) const;
  /// Collects the tasks reachable from a task, itself included, with ranks from `first` to `last`, by rank.
  template <Direction direction>
  void collect(TaskId task, std::size_t first, std::size_t last, std::vector<TaskId>& found);
  void order_before(TaskId a, TaskId b);

  /// The tasks reachable from the chosen task, as far as the queries needed them.
  struct Look {
    /// Marks by rank, and the marked ranks. The successors of all marked ranks up to `reached` are marked.
    std::vector<unsigned char> is_marked;
    std::vector<std::uint32_t> marked;
    std::size_t reached = 0;
  };
  template <Direction direction>
  void mark_next(Look& look, std::size_t rank);
  template <Direction direction>
  void begin(Look& look);

  const TaskGraph* graph_;
  std::vector<TaskId> order_;
  /// Per task.
  std::vector<std::uint32_t> rank_, before_, after_;
  TaskId chosen_;
  Look needed_, needing_;
  /// Scratch of order_before().
  std::vector<TaskId> ahead_, later_;
  std::vector<std::uint32_t> met_, ranks_;
  std::uint32_t visit_ = 0;
};

}  // namespace takt::schedulers
