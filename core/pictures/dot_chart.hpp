#pragma once
/// Charts with a line per label, a dot at its value and a whisker over its range.

#include <cstddef>
#include <string>
#include <vector>

#include "core/pictures/axis.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

struct DotChart {
  struct Dot {
    std::string label;
    double value = 0;
    double least = 0;
    double most = 0;
    std::size_t series = 0;
  };
  ChartAxis axis;
  ChartLegend legend;
  std::vector<Dot> dots;
};

[[nodiscard]] std::string to_svg(const DotChart& chart);

}  // namespace takt
