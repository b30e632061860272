#pragma once
/// Computes the length of a repetition of a trial run that covers infrequent calls of stages.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Hyperperiod of the stages downstream of a decimation that take more than 1 % of the plan's period.
struct Hyperperiod {
  /// Number of iterations of the plan in which each of these stages is called as often as on average.
  std::uint64_t rounds = 1;
  /// Stages with calls further apart than the longest allowed repetition.
  std::vector<std::size_t> beyond = {};
};

/// Returns the shortest; stages that would extend it past `most_rounds` are `beyond`. O(stages log stages).
[[nodiscard]] Hyperperiod hyperperiod(const RunPlan& plan, std::uint64_t most_rounds);

}  // namespace takt::pipeline
