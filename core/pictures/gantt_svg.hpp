#pragma once
/// SVG rendering of Gantt charts without a browser.

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"

namespace takt {

/// Draws a Gantt chart (core/pictures/web/src/data.ts): schedules above one another on one axis, a row for
/// each processor and for each link in use. Each operation is a box, with its name if it fits and a complete
/// tooltip, each message a line; gaps of an idle processor are pale. With more than 12 rows, empty rows are
/// counted and omitted. Boxes narrower than a pixel are merged. With decisions, boxes are at the place of
/// their latest decision. O(boxes log boxes).
[[nodiscard]] Drawing svg_of_gantt(const nlohmann::ordered_json& view);

}  // namespace takt
