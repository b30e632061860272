#pragma once
/// Comparisons as text for users and as CSV and JSON for programs; docs/reference/cli.md documents the keys.

#include <string>
#include <string_view>
#include <vector>

#include "schedulers/judge/comparison_summary.hpp"

namespace takt::schedulers {

/// Names of figures of rows: those of figure_columns.hpp, and `score`.
using ColumnNames = std::vector<std::string>;
/// Parses `period,score`. Throws ConfigError on an unknown name (nearest name first) or a repeated one.
[[nodiscard]] ColumnNames parse_columns(std::string_view text);

/// Returns the rows as a list of objects with these figures; by default all except the score, which depends
/// on the compared schedulers.
[[nodiscard]] std::string comparison_to_json(const std::vector<ComparisonRow>& rows,
                                             const ColumnNames& columns = {});
[[nodiscard]] std::string comparison_to_csv(const std::vector<ComparisonRow>& rows,
                                            const ColumnNames& columns = {});
/// By default without columns that are the same in every row.
[[nodiscard]] std::string comparison_to_text(const std::vector<ComparisonRow>& rows,
                                             const ColumnNames& columns = {});

/// Returns one line per scheduler, with its wins over each of the others.
[[nodiscard]] std::string summary_to_json(const ComparisonSummary& summary);
[[nodiscard]] std::string summary_to_csv(const ComparisonSummary& summary);
[[nodiscard]] std::string summary_to_text(const ComparisonSummary& summary);

}  // namespace takt::schedulers
