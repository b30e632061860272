#pragma once
/// Defines the measured cost of a stage.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/graphs/moldable.hpp"
#include "core/units.hpp"

namespace takt::pipeline {

/// Measured times of one stage per call, including the overhead of the loop that calls it.
struct StageCost {
  std::string stage;
  /// Cost used by the plan: the mean of its calls (call_times.hpp). For sources it includes the frame's copy.
  Time cost{0};
  /// Part of `cost` that a source saves if its frames stay on its rank, one at a time.
  Time copy{0};
  /// For a source that receives on its own thread, that thread's CPU time per frame (receiving_cost.hpp); not
  /// part of `cost`.
  Time receiving{0};
  /// Cores of the rank that was measured.
  std::size_t cores = 1;
  /// For an asynchronous kernel (asynchronous_cost.hpp), whose `cost` is the time in which it occupies the
  /// rank: the time from the start of a frame's work to its end, and that between the ends of two frames.
  Time latency{0};
  Time interval{0};
  /// 10 % and 90 % quantiles.
  Time low{0};
  Time high{0};
  std::size_t runs = 0;
  /// For a data-parallel kernel, the times of groups of two and more ranks (group_profile.hpp), if
  /// measured.
  std::vector<MoldableProfile::Point> groups = {};
  /// For hosts of several kinds (host_costs.hpp): `cost` and `copy` on each rank.
  struct OnRank {
    Time cost{0};
    Time copy{0};
    friend bool operator==(const OnRank&, const OnRank&) = default;
  };
  std::vector<OnRank> by_rank = {};
  /// For a separable kernel: true if tiles are slower (tile_trials.hpp), so that `cost` is that of whole
  /// frames.
  bool is_whole = false;
};

}  // namespace takt::pipeline
