#pragma once
/// What one stage costs.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/graphs/moldable.hpp"
#include "core/units.hpp"

namespace takt::pipeline {

/// Measured times of one stage for one call, with what the loop that calls it takes.
struct StageCost {
  std::string stage;
  /// What the plan uses: the mean of its calls (call_times.hpp). Of a source with the copying of its frame.
  Time cost{0};
  /// The part of it that a source is spared whose frames stay on its rank, one at a time.
  Time copy{0};
  /// Of a source that receives on a thread of its own, what that takes of a processor for each frame
  /// (receiving_cost.hpp); not part of `cost`.
  Time receiving{0};
  /// 10 % and 90 % quantiles.
  Time low{0};
  Time high{0};
  std::size_t runs = 0;
  /// Of a data-parallel kernel, the times of groups of two and more ranks (group_profile.hpp), where they
  /// were measured.
  std::vector<MoldableProfile::Point> groups = {};
  /// Where ranks run on hosts of several kinds (host_costs.hpp): `cost` and `copy` on each rank.
  struct OnRank {
    Time cost{0};
    Time copy{0};
    friend bool operator==(const OnRank&, const OnRank&) = default;
  };
  std::vector<OnRank> by_rank = {};
  /// Of a kernel that could work through its frames in parts: that takes longer (tile_trials.hpp), and `cost`
  /// is that of whole frames.
  bool is_whole = false;
};

}  // namespace takt::pipeline
