#pragma once
/// How long a rehearsal must be to see what a plan's stages do that are called for few frames only.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Of those stages behind a decimation that take a share of the plan's period worth seeing (1 %).
struct CallCycle {
  /// In so many rounds of the plan each of them is called as often as on average.
  std::uint64_t rounds = 1;
  /// Those whose calls are further apart than a trial may be long.
  std::vector<std::size_t> beyond = {};
};

/// The shortest one; stages that would make it longer than `most_rounds` are beyond it. O(stages log stages).
[[nodiscard]] CallCycle call_cycle(const RunPlan& plan, std::uint64_t most_rounds);

/// What a plan sustains that sustained `hertz` in a trial of so many frames: with the mean, by costs, of what
/// stages beyond its cycle do that were not called in it, of which other ranks wait for some (held_up).
/// O(stages + ranks).
[[nodiscard]] double with_calls_beyond(const RunPlan& plan, const CallCycle& cycle, std::uint64_t frames,
                                       double hertz);

}  // namespace takt::pipeline
