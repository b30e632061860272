#pragma once
/// Scatter charts over two axes, with named points or stairs.

#include <cstddef>
#include <string>
#include <vector>

#include "core/pictures/axis.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

struct ScatterChart {
  struct Point {
    /// Placed next to the point if it fits.
    std::string label;
    double x = 0;
    double y = 0;
    std::size_t series = 0;
    /// The tooltip, with the values; the label if it is empty.
    std::string title = {};
  };
  /// A line across the plot from its place on an axis, with its name.
  struct Rule {
    double at = 0;
    std::string name;
  };
  ChartAxis x, y;
  ChartLegend legend;
  std::vector<Point> points;
  /// Vertical ones with increasing x, named at the top; horizontal ones, named above their right end.
  std::vector<Rule> rules = {}, levels = {};
  /// Joins the points of a series, which have decreasing x and increasing y or the reverse: any place with
  /// less x and more y than a point is feasible.
  bool has_stairs = false;
};

[[nodiscard]] std::string to_svg(const ScatterChart& chart);

}  // namespace takt
