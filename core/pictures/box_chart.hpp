#pragma once
/// Upright boxes from the lower to the upper quartile, with whiskers over the whole range and a line at the
/// median; a group of them a label, one a series.

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
    /// One a series.
    std::vector<Box> boxes;
  };
  std::string title;
  ChartAxis axis;
  ChartLegend legend;
  std::vector<Group> groups;
};

[[nodiscard]] std::string to_svg(const BoxChart& chart);

}  // namespace takt
