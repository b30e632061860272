#pragma once
/// Points over two axes: named ones, or those of stairs.

#include <cstddef>
#include <string>
#include <vector>

#include "core/pictures/axis.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

struct ScatterChart {
  struct Point {
    /// Stands beside the point where there is room for it.
    std::string label;
    double x = 0;
    double y = 0;
    std::size_t series = 0;
    /// Said when pointed at, with the values; the label where it is empty.
    std::string title = {};
  };
  /// A line upwards from the axis `x`, with its name at the top.
  struct Rule {
    double x = 0;
    std::string name;
  };
  ChartAxis x, y;
  ChartLegend legend;
  std::vector<Point> points;
  /// With rising x.
  std::vector<Rule> rules = {};
  /// Joins the points of a series, which come with falling x and rising y or the other way round: whatever
  /// has less x and more y than a point is within reach.
  bool has_stairs = false;
};

[[nodiscard]] std::string to_svg(const ScatterChart& chart);

}  // namespace takt
