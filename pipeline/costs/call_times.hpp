#pragma once
/// What the times of single calls say about what a stage costs.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// What a frame costs: the mean, since a stream meets cheap frames, expensive ones, and the ticks of the
/// system that every tenth call pays for. Of a stateless stage a call counts at most as much as the most
/// expensive but one hundredth: what is less frequent is a disturbance. One with state may well work through
/// what it has gathered in every hundredth call. 0 without times.
[[nodiscard]] Time cost_of(const std::vector<Time>& times, bool is_stateless);

/// Whether so many times have been seen, 40 at least, that more would tell nothing new: the middle half lies
/// within 5 % of the median, and the standard error of the cost of a stateless stage is below 2 %.
[[nodiscard]] bool are_settled(const std::vector<Time>& times);

}  // namespace takt::pipeline
