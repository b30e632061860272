#pragma once
/// A comparison as a self-contained page with charts.

#include <string>
#include <vector>

#include "schedulers/judge/comparison.hpp"

namespace takt::pipeline {

/// Returns summary, charts (schedule lengths, distance from the bounds, wins, time to schedule) and all rows.
[[nodiscard]] std::string comparison_page(const std::vector<schedulers::ComparisonRow>& rows);

}  // namespace takt::pipeline
