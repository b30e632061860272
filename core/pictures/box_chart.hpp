#pragma once
/// Vertical box plots: quartile boxes with whiskers over the whole range and a median line; a group of them
/// per label, one per series.

#include <string>
#include <vector>

#include "core/pictures/axis.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

struct BoxChart {
  struct Box {
    double least = 0, lower = 0, median = 0, upper = 0, most = 0;
  };
  struct Group {
    std::string label;
    /// One per series.
    std::vector<Box> boxes;
  };
  std::string title;
  ChartAxis axis;
  ChartLegend legend;
  std::vector<Group> groups;
};

[[nodiscard]] std::string to_svg(const BoxChart& chart);

}  // namespace takt
