#pragma once
/// What a machine is made of: boxes in boxes.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/page.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

/// A box: a name, a line of smaller letters, and the box that holds it, which comes before it.
struct LevelBox {
  std::string name, detail;
  std::optional<std::size_t> inside;
};

[[nodiscard]] View levels_view(std::string_view name, std::string_view says, std::span<const LevelBox> boxes);

/// Boxes that hold others are as wide as the picture, those that hold none stand side by side.
[[nodiscard]] Drawing svg_of_levels(const nlohmann::ordered_json& view);

}  // namespace takt
