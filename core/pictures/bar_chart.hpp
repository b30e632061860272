#pragma once
/// A group of bars a label, one bar a series, from 0.

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
};

/// A bar without a number is left out.
[[nodiscard]] Drawing drawn(const BarChart& chart);
[[nodiscard]] std::string to_svg(const BarChart& chart);

}  // namespace takt
