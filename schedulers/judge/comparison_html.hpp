#pragma once
/// A comparison as a page with charts that needs nothing else.

#include <string>
#include <vector>

#include "schedulers/judge/comparison.hpp"

namespace takt::schedulers {

/// Summary, charts (schedule lengths, distance from the bounds, wins, time to schedule) and all rows.
[[nodiscard]] std::string comparison_to_html(const std::vector<ComparisonRow>& rows);

}  // namespace takt::schedulers
