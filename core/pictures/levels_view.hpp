#pragma once
/// The view of a machine's structure: nested boxes.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/page.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

/// A box: a name, a line in smaller type, and the enclosing box, which precedes it.
struct LevelBox {
  std::string name, detail;
  std::optional<std::size_t> inside;
};

[[nodiscard]] View levels_view(std::string_view name, std::string_view says, std::span<const LevelBox> boxes);

/// Draws boxes with contents at full width, and boxes without contents next to each other.
[[nodiscard]] Drawing svg_of_levels(const nlohmann::ordered_json& view);

}  // namespace takt
