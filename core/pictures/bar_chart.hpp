#pragma once
/// A group of bars a label, one bar a series, from 0; or their parts of one bar.

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
  /// The series are parts of a whole, and stand one behind the other.
  bool is_stacked = false;
};

/// A bar without a number is left out.
[[nodiscard]] Drawing drawn(const BarChart& chart);
[[nodiscard]] std::string to_svg(const BarChart& chart);

}  // namespace takt
