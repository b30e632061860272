#pragma once
/// How many processors each moldable task gets: the first of two steps, as in CPA and its followers.

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// Processors of each task.
using Allotment = std::vector<std::size_t>;

/// The numbers of processors that tasks may be given: all up to a limit, or few, spread evenly in their
/// logarithms, with 1 and the limit among them (as in table 4 of Dutot et al. 2009).
class AllowedNumbers {
 public:
  AllowedNumbers(std::size_t limit, std::optional<std::size_t> count);

  /// In ascending order, from 1.
  [[nodiscard]] std::span<const std::size_t> all() const { return numbers_; }
  /// Those that are of use to a task: none beyond its profile's last point, but for the first that reaches
  /// it.
  [[nodiscard]] std::span<const std::size_t> of(const Task& task) const;
  /// The most that are allowed of so many. O(log n).
  [[nodiscard]] std::size_t round_down(std::size_t processors) const;

 private:
  std::vector<std::size_t> numbers_;
};

/// Longest path, each task on its processors of speed 1, without data; in ticks. O(n + m).
[[nodiscard]] double critical_path(const TaskGraph& graph, std::span<const std::size_t> allotment);
/// Sum of time x processors, at speed 1; in ticks. O(n).
[[nodiscard]] double total_work(const TaskGraph& graph, std::span<const std::size_t> allotment);

/// When adding processors ends, and how many a task can get.
struct CpaRules {
  /// The critical path is brought down to the work over this: the processors of the machine for CPA.
  double area_divisor = 1;
  /// MCPA: the tasks of a layer get so many processors together, at most; nothing means no such limit.
  std::optional<std::size_t> layer_limit = {};
  /// No task gets more than this, and all of them together no more work.
  std::size_t most = std::numeric_limits<std::size_t>::max();
  double work_limit = std::numeric_limits<double>::infinity();
};

/// Begins with one processor a task, or with what it is given (allowed numbers). While the critical path is
/// longer than the work over the divisor, the task on it gains most from the next allowed number of
/// processors gets them: T(p) / p - T(q) / q, of equals the one with the lowest number. Ends also when no
/// task of the critical path can get more.
///
/// Source: Radulescu and van Gemund, "A low-cost approach towards mixed task and data parallel scheduling"
/// (ICPP 2001). Each step changes levels only where they change: O(path + changed) for a step, and as many
/// steps as processors are added.
[[nodiscard]] Allotment allot_by_critical_path(const TaskGraph& graph, const AllowedNumbers& allowed,
                                               const CpaRules& rules, const Allotment& begin = {});

}  // namespace takt::schedulers
