#pragma once
/// Number of processors of each moldable task: the first of two steps, as in CPA and its successors.

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// Number of processors of each task.
using Allotment = std::vector<std::size_t>;

/// The allowed numbers of processors of a task: all up to a limit, or a few with even logarithmic spacing,
/// including 1 and the limit (as in table 4 of Dutot et al. 2009).
class AllowedNumbers {
 public:
  AllowedNumbers(std::size_t limit, std::optional<std::size_t> count);

  /// Returns the numbers in ascending order, from 1.
  [[nodiscard]] std::span<const std::size_t> all() const { return numbers_; }
  /// Returns the numbers that are useful for a task: none beyond its profile's last point, except the first
  /// that reaches it.
  [[nodiscard]] std::span<const std::size_t> of(const Task& task) const;
  /// Returns the largest allowed number up to `processors`. O(log n).
  [[nodiscard]] std::size_t round_down(std::size_t processors) const;

 private:
  std::vector<std::size_t> numbers_;
};

/// Returns the longest path, each task on its processors of speed 1, without data; in ticks. O(n + m).
[[nodiscard]] double critical_path(const TaskGraph& graph, std::span<const std::size_t> allotment);
/// Returns the sum of time x processors, at speed 1; in ticks. O(n).
[[nodiscard]] double total_work(const TaskGraph& graph, std::span<const std::size_t> allotment);

/// When to stop adding processors, and the largest number for a task.
struct CpaRules {
  /// The critical path is reduced to the work over this value: the processors of the machine for CPA.
  double area_divisor = 1;
  /// MCPA: the largest number of processors of all tasks of a layer together; empty: no such limit.
  std::optional<std::size_t> layer_limit = {};
  /// Largest number of processors of a task, and largest work of all tasks.
  std::size_t most = std::numeric_limits<std::size_t>::max();
  double work_limit = std::numeric_limits<double>::infinity();
};

/// Starts with one processor per task, or with the given allotment (allowed numbers). While the critical path
/// is longer than the work over the divisor, the task on it with the largest gain receives the next allowed
/// number of processors. The gain is T(p) / p - T(q) / q; of equals the task with the lowest number. Also
/// ends when no task of the critical path can receive more.
///
/// Source: Radulescu and van Gemund, "A low-cost approach towards mixed task and data parallel scheduling"
/// (ICPP 2001). Levels are updated incrementally: O(path + changed) for a step, and one step for each added
/// processor.
[[nodiscard]] Allotment allot_by_critical_path(const TaskGraph& graph, const AllowedNumbers& allowed,
                                               const CpaRules& rules, const Allotment& begin = {});

}  // namespace takt::schedulers
