#pragma once
/// SVG rendering of a SCHEDULE program's units without a browser.

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"

namespace takt {

/// Draws one run of a view of units (core/pictures/web/src/data.ts) at its end: clear, lined, hashed and
/// black boxes, broken frames around units that wait for children, the critical path by time in bold. O(units
/// + edges + changes).
[[nodiscard]] Drawing svg_of_units(const nlohmann::ordered_json& run);

}  // namespace takt
