#pragma once
/// SVG rendering of tables and data distributions without a browser.

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"

namespace takt {

/// Draws the first 40 rows of a table, and the number of omitted ones.
[[nodiscard]] Drawing svg_of_table(const nlohmann::ordered_json& view);

/// Draws a row for each of the first 60 tasks: the blocks of its output, with widths by size, in the colours
/// of their processors.
[[nodiscard]] Drawing svg_of_partitions(const nlohmann::ordered_json& view);

}  // namespace takt
