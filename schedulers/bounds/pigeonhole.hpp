#pragma once
/// Bounds that hold because work comes in pieces.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/units.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Pieces of work of which each must be done by one processor as a whole: tasks, or all instances of a task
/// with state.
class Pieces {
 public:
  /// For such a graph on such a machine.
  Pieces(const TaskGraph& graph, const logp::Machine& machine);

  /// `count` pieces that take `time` on any processor at least, and consist of so much work.
  void add(Time time, Time work, std::uint32_t count = 1);
  /// To be called once, after the last piece has been added. O(k log k) for k pieces.
  void close();

  [[nodiscard]] std::size_t count() const { return times_.size(); }
  /// The least times of all pieces together.
  [[nodiscard]] Time sum() const { return sums_.back(); }

  /// Pigeonhole bound: of so many pieces some must share a processor, so that one of `used` processors,
  /// whichever, takes no less than this for its pieces. Of the k * used + 1 largest pieces, k + 1 share a
  /// processor, and take no less than the k + 1 smallest of them; on processors of different speeds, it is
  /// the least time in which they can take the largest pieces at all. O(k / used), on different processors
  /// O(used^2 log sum).
  [[nodiscard]] Time pigeonhole(std::size_t used) const;

  /// Subset sum bound: the least sum of some of the pieces that is `at_least` or more, which is what a
  /// processor takes for its pieces if it takes no less than that. Where processors are equal, and only as
  /// long as it takes some milliseconds; otherwise `at_least` itself. O(k * sum / 64).
  [[nodiscard]] Time subset_sum(Time at_least) const;

 private:
  [[nodiscard]] bool fit_on_speeds(std::size_t used, Time period) const;

  /// Whether a piece takes the same time on all processors.
  bool are_equal_;
  /// In descending order, where processors are different and no table says how long each of them takes.
  std::vector<double> speeds_;
  /// Both in descending order, and the sums of the first 0, 1, ... of them.
  std::vector<Time> times_, works_;
  std::vector<Time> sums_{Time{0}}, work_sums_{Time{0}};
};

}  // namespace takt::schedulers
