#pragma once
/// Pages that need nothing else: no network, no fonts, no scripts of others; readable on light and dark
/// screens.

#include <string>
#include <string_view>

namespace takt {

/// A text inside HTML or SVG.
[[nodiscard]] std::string escape_markup(std::string_view text);

/// A whole page around a body. Its style knows `.cards` (a grid of `<section>`s), tables (`.number` aligns a
/// cell right; a click on a heading of `table.sortable` sorts by that column) and what
/// core/pictures/charts.hpp draws.
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body);

}  // namespace takt
