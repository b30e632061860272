#pragma once
/// Bounds from indivisible pieces of work.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/units.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Pieces of work that one processor executes as a whole:
/// tasks, or all instances of a stateful task.
class Pieces {
 public:
  /// For pieces of this graph on this machine.
  Pieces(const TaskGraph& graph, const logp::Machine& machine);

  /// Adds `count` pieces that take at least `time` on any processor, with `work` units of work each.
  void add(Time time, Time work, std::uint32_t count = 1);
  /// Finishes the construction; call it once, after the last add(). O(k log k) for k pieces.
  void close();

  [[nodiscard]] std::size_t count() const { return times_.size(); }
  /// Returns the sum of the least times of all pieces.
  [[nodiscard]] Time sum() const { return sums_.back(); }

  /// Pigeonhole bound: some pieces must share a processor, so that one of any `used`
  /// processors takes at least this time for its pieces. Of the k * used + 1 largest
  /// pieces, k + 1 share a processor, and take no less than the k + 1 smallest of them.
  /// On processors of different speeds, it is the least time in which they can execute
  /// the largest pieces. O(k / used), on different processors O(used^2 log sum).
  [[nodiscard]] Time pigeonhole(std::size_t used) const;

  /// Subset sum bound: returns the least sum of some of the pieces that is at least `at_least`. A processor
  /// whose pieces take at least `at_least` takes no less than that. Only for equal processors and within some
  /// milliseconds; otherwise `at_least` itself. O(k * sum / 64).
  [[nodiscard]] Time subset_sum(Time at_least) const;

 private:
  [[nodiscard]] bool fit_on_speeds(std::size_t used, Time period) const;

  /// Whether a piece takes the same time on all processors.
  bool are_equal_;
  /// In descending order, if the processors differ and there is no table of times.
  std::vector<double> speeds_;
  /// Both in descending order, and the sums of the first 0, 1, ... of them.
  std::vector<Time> times_, works_;
  std::vector<Time> sums_{Time{0}}, work_sums_{Time{0}};
};

}  // namespace takt::schedulers
