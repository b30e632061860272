#pragma once
/// Tables, and who holds which part of data, drawn without a browser.

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"

namespace takt {

/// The first 40 rows of a table, and how many more there are.
[[nodiscard]] Drawing svg_of_table(const nlohmann::ordered_json& view);

/// A row for each of the first 60 tasks: the blocks of what it makes, as wide as their share, in the colours
/// of the processors that hold them.
[[nodiscard]] Drawing svg_of_partitions(const nlohmann::ordered_json& view);

}  // namespace takt
