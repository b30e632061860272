#pragma once
/// Waterfalls drawn without a browser.

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"

namespace takt {

/// A waterfall (core/pictures/web/src/data.ts) as an image of PNG inside the picture, with axes and the scale
/// of its colours. O(values).
[[nodiscard]] Drawing svg_of_waterfall(const nlohmann::ordered_json& view);

}  // namespace takt
