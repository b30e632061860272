#pragma once
/// Comparisons as text for people and as CSV and JSON for programs; docs/reference/cli.md documents the keys.

#include <string>
#include <vector>

#include "schedulers/judge/comparison_summary.hpp"

namespace takt::schedulers {

/// The rows, as a list of objects.
[[nodiscard]] std::string comparison_to_json(const std::vector<ComparisonRow>& rows);
[[nodiscard]] std::string comparison_to_csv(const std::vector<ComparisonRow>& rows);
/// Without columns that would say the same in every row.
[[nodiscard]] std::string comparison_to_text(const std::vector<ComparisonRow>& rows);

/// A line a scheduler, with its wins over each of the others.
[[nodiscard]] std::string summary_to_json(const ComparisonSummary& summary);
[[nodiscard]] std::string summary_to_csv(const ComparisonSummary& summary);
[[nodiscard]] std::string summary_to_text(const ComparisonSummary& summary);

}  // namespace takt::schedulers
