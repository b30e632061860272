#pragma once
/// How long a repetition of a trial run must be to see the infrequent calls of a plan's stages.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Of those stages behind a decimation that take a share of the plan's period worth seeing (1 %).
struct Hyperperiod {
  /// In so many rounds of the plan each of them is called as often as on average.
  std::uint64_t rounds = 1;
  /// Those whose calls are further apart than a trial may be long.
  std::vector<std::size_t> beyond = {};
};

/// The shortest one; stages that would make it longer than `most_rounds` are beyond it. O(stages log stages).
[[nodiscard]] Hyperperiod hyperperiod(const RunPlan& plan, std::uint64_t most_rounds);

}  // namespace takt::pipeline
