#pragma once
/// Comparisons as text for people and as CSV and JSON for programs; docs/reference/cli.md documents the keys.

#include <string>
#include <string_view>
#include <vector>

#include "schedulers/judge/comparison_summary.hpp"

namespace takt::schedulers {

/// Figures of rows by name: those of figure_columns.hpp, and `score`.
using ColumnNames = std::vector<std::string>;
/// `period,score`. Throws ConfigError on an unknown name (nearest name first), or one that stands twice.
[[nodiscard]] ColumnNames parse_columns(std::string_view text);

/// The rows, as a list of objects, with these figures; none named: all but the score, which depends on who
/// else is compared.
[[nodiscard]] std::string comparison_to_json(const std::vector<ComparisonRow>& rows,
                                             const ColumnNames& columns = {});
[[nodiscard]] std::string comparison_to_csv(const std::vector<ComparisonRow>& rows,
                                            const ColumnNames& columns = {});
/// None named: without columns that would say the same in every row.
[[nodiscard]] std::string comparison_to_text(const std::vector<ComparisonRow>& rows,
                                             const ColumnNames& columns = {});

/// A line a scheduler, with its wins over each of the others.
[[nodiscard]] std::string summary_to_json(const ComparisonSummary& summary);
[[nodiscard]] std::string summary_to_csv(const ComparisonSummary& summary);
[[nodiscard]] std::string summary_to_text(const ComparisonSummary& summary);

}  // namespace takt::schedulers
