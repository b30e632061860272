#pragma once
/// Charts with a group of bars per label and one bar per series, from 0; or stacked bars.

#include <string>
#include <vector>

#include "core/pictures/axis.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

struct BarChart {
  struct Group {
    std::string label;
    std::vector<double> values;
  };
  ChartAxis axis;
  ChartLegend legend;
  std::vector<Group> groups;
  /// Whether the series are parts of a whole, drawn as one stacked bar.
  bool is_stacked = false;
};

/// Draws the chart; omits bars without a number.
[[nodiscard]] Drawing drawn(const BarChart& chart);
[[nodiscard]] std::string to_svg(const BarChart& chart);

}  // namespace takt
