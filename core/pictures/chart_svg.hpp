#pragma once
/// SVG rendering of a page's charts without a browser.

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"

namespace takt {

/// Draws lines, steps and dots over two axes, or bars next to their names (core/pictures/web/src/data.ts).
/// Omits values without a number; places zeros at the foot of a decibel axis. For many points in one pixel
/// column, draws the minimum and the maximum. O(points).
[[nodiscard]] Drawing svg_of_chart(const nlohmann::ordered_json& view);

}  // namespace takt
