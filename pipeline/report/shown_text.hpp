#pragma once
/// Figures of the table for people.

#include <optional>
#include <string>
#include <vector>

#include "core/pictures/text_table.hpp"
#include "pipeline/protocol/figure_values.hpp"

namespace takt::pipeline {

/// `12.5 %`, `3.1 ms`, `1023`; `-` where the value is not known, or no time was measured. Shares have so many
/// decimals.
[[nodiscard]] std::string shown_text(const Figure& figure, const std::optional<double>& value,
                                     int decimals = 1);

/// Whether a table has a column for a figure; by default, whether the verbose report has one.
using IsColumn = bool (*)(const Figure& figure);
inline bool has_column(const Figure& figure) {
  return !figure.column.empty();
}

/// Returns these columns, and those of the figures of a scope. Figures without a column in the verbose report
/// have the heading of the live page.
template <Scope scope>
[[nodiscard]] std::vector<TextTable::Column> with_figures(std::vector<TextTable::Column> columns,
                                                          IsColumn is_column = has_column) {
  for (const Figure* figure : figure_rows<scope, RowKind::all>)
    if (is_column(*figure))
      columns.push_back({std::string(has_column(*figure) ? figure->column : figure->page), true});
  return columns;
}
/// Returns these cells, and those of the figures.
template <Scope scope>
[[nodiscard]] std::vector<std::string> with_figures(std::vector<std::string> cells,
                                                    const FigureValues<scope>& figures,
                                                    IsColumn is_column = has_column) {
  figures.each([&](const Figure& figure, const std::optional<double>& value) {
    if (is_column(figure)) cells.push_back(shown_text(figure, value));
  });
  return cells;
}

}  // namespace takt::pipeline
