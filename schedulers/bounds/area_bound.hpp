#pragma once
/// Area bounds: what processors can do together at most, if work could be cut at will.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/units.hpp"
#include "logp/machine.hpp"
#include "schedulers/bounds/fraction.hpp"

namespace takt::schedulers {

/// When `work` is done at the soonest by processors that are free from the given times on. O(P log P).
[[nodiscard]] Time area_bound(std::vector<Time> free, Time work);

/// The work of a graph over what the fastest of a machine's processors do together.
///
/// Where all processors take the same time for a task, or a table says how long each of them takes, a task's
/// work is its least time and each processor does one tick of it a tick. Otherwise a processor of speed s
/// does s units of work a tick; speeds of up to three decimals count exactly, others a little too high, so
/// that the bound stays one.
class AreaBound {
 public:
  /// O(n + P log P); O(n P) with a table of times.
  AreaBound(const TaskGraph& graph, const logp::Machine& machine);

  /// The mean time for which `used` processors, whichever, are busy when they do the work of `frames` frames
  /// and are kept from it for so long in sum. The busiest one is busy for no less. O(1).
  [[nodiscard]] Fraction mean(std::size_t used, std::uint32_t frames = 1, Time overhead = Time{0}) const;

 private:
  /// Of one frame.
  Wide work_ = 0;
  /// The work that the fastest 0, 1, ... processors together do in a tick, and the slowest one.
  std::vector<Wide> speed_sums_{0};
  Wide slowest_ = 1;
};

}  // namespace takt::schedulers
