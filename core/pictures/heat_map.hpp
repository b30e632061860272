#pragma once
/// Tables whose cells are coloured by their values.

#include <optional>
#include <string>
#include <vector>

namespace takt {

struct HeatMap {
  struct Cell {
    /// From 0, pale, to 1; empty for no value.
    std::optional<double> strength;
    std::string text;
    /// The tooltip.
    std::string title;
    bool is_marked = false;
  };
  std::vector<std::string> rows, columns;
  /// Row by row.
  std::vector<std::vector<Cell>> cells;
};

[[nodiscard]] std::string to_svg(const HeatMap& map);

}  // namespace takt
