#pragma once
/// Area bounds: the highest joint throughput of the processors if work were divisible.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/units.hpp"
#include "logp/machine.hpp"
#include "schedulers/bounds/fraction.hpp"

namespace takt::schedulers {

/// Returns the earliest end of `work` on processors that become free at the given times. O(P log P).
[[nodiscard]] Time area_bound(std::vector<Time> free, Time work);

/// Bound of a graph's work by the joint speed of the fastest processors of a machine.
///
/// With equal processors, or a table of times, the work of a task is its least time, and each processor
/// does one tick of it per tick. Otherwise a processor of speed s does s units of work per tick. Speeds
/// of up to three decimals are exact; others are rounded up slightly, so that the result remains a
/// bound.
class AreaBound {
 public:
  /// O(n + P log P); O(n P) with a table of times.
  AreaBound(const TaskGraph& graph, const logp::Machine& machine);

  /// Returns the mean busy time of any `used` processors that do the work of `frames` frames and spend
  /// `overhead` in sum on other operations. The busiest processor is busy for at least that long. O(1).
  [[nodiscard]] Fraction mean(std::size_t used, std::uint32_t frames = 1, Time overhead = Time{0}) const;

 private:
  /// Work of one frame.
  Wide work_ = 0;
  /// Joint work per tick of the fastest 0, 1, ... processors; that of the slowest processor.
  std::vector<Wide> speed_sums_{0};
  Wide slowest_ = 1;
};

}  // namespace takt::schedulers
