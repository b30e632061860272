#pragma once
/// Charts of pages drawn without a browser.

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"

namespace takt {

/// Lines, steps and dots over two axes, or bars beside their names (core/pictures/web/src/data.ts). What has
/// no number is left out; what is zero where the axis is of decibels stands at its foot. Of many points in
/// one column of the picture, the least and the most are drawn. O(points).
[[nodiscard]] Drawing svg_of_chart(const nlohmann::ordered_json& view);

}  // namespace takt
