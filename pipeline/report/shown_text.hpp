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

/// Whether a verbose report has a column for it.
using IsColumn = bool (*)(const Figure& figure);
inline bool has_column(const Figure& figure) {
  return !figure.column.empty();
}

/// The columns of the figures of a scope, and the cells of one row of the table.
template <Scope scope>
void add_columns(std::vector<TextTable::Column>& columns, IsColumn is_column = has_column) {
  for (const Figure* figure : figure_rows<scope, RowKind::all>)
    if (is_column(*figure)) columns.push_back({std::string(figure->column), true});
}
template <Scope scope>
void add_cells(const FigureValues<scope>& figures, std::vector<std::string>& cells,
               IsColumn is_column = has_column) {
  figures.each([&](const Figure& figure, const std::optional<double>& value) {
    if (is_column(figure)) cells.push_back(shown_text(figure, value));
  });
}

}  // namespace takt::pipeline
