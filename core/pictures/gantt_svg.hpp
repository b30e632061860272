#pragma once
/// Gantt charts drawn without a browser.

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"

namespace takt {

/// A Gantt chart (core/pictures/web/src/data.ts): schedules one above the other on one axis, a row for each
/// processor and for each link that carries something, a box for each operation with its name where there is
/// room (hover for all of it), pale where a processor is idle between two of them, a line for each message.
/// Of more than 12 rows, those in which nothing happens are counted and left out. Boxes narrower than a pixel
/// are drawn together. With decisions, boxes stand where the last one has put them. O(boxes log boxes).
[[nodiscard]] Drawing svg_of_gantt(const nlohmann::ordered_json& view);

}  // namespace takt
