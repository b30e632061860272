#pragma once
/// SVG rendering of programs next to their graphs without a browser.

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"

namespace takt {

/// Draws the program's text with its calls and their sections underlined, and the task graph to its right.
[[nodiscard]] Drawing svg_of_source(const nlohmann::ordered_json& view);

}  // namespace takt
