#pragma once
/// SVG rendering of waterfalls without a browser.

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"

namespace takt {

/// Draws a waterfall (core/pictures/web/src/data.ts) as a PNG image inside the picture, with axes and its
/// colour scale. O(values).
[[nodiscard]] Drawing svg_of_waterfall(const nlohmann::ordered_json& view);

}  // namespace takt
