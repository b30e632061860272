#pragma once
/// Estimates the cost of a stage from the times of single calls.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// Returns the cost of a frame: the mean, because a stream has cheap and expensive frames, and every tenth
/// call includes a timer tick of the system. For a stateless stage the most expensive 1 % are limited to the
/// largest of the other calls: less frequent delays are disturbances. A stateful stage may process its
/// gathered input in every hundredth call. Returns 0 without times.
[[nodiscard]] Time cost_of(const std::vector<Time>& times, bool is_stateless);

/// Returns true if further calls would not change the cost: at least 40 calls, the middle half of the times
/// within 5 % of the median, and for stateless stages a standard error below 2 %.
[[nodiscard]] bool are_settled(const std::vector<Time>& times);

}  // namespace takt::pipeline
