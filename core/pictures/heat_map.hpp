#pragma once
/// A table whose cells are the stronger in colour the higher their values.

#include <optional>
#include <string>
#include <vector>

namespace takt {

struct HeatMap {
  struct Cell {
    /// From 0, pale, to 1; nothing where there is none.
    std::optional<double> strength;
    std::string text;
    /// Said when pointed at.
    std::string title;
    bool is_marked = false;
  };
  std::vector<std::string> rows, columns;
  /// Row by row.
  std::vector<std::vector<Cell>> cells;
};

[[nodiscard]] std::string to_svg(const HeatMap& map);

}  // namespace takt
