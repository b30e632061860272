#pragma once
/// Charts as SVG for pages of core/pictures/html.hpp, whose colours they use. Every mark tells its figures
/// when pointed at.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace takt {

enum class Scale : unsigned char { linear, logarithmic };

/// An axis says what it shows, with its unit.
struct ChartAxis {
  std::string title;
  Scale scale = Scale::linear;
  /// Where the axis begins at the latest; on a logarithmic one the data decide.
  double origin = 0;
  /// Text of a value; up to four digits when there is none.
  std::string (*text)(double) = nullptr;
};

/// What the colours of a chart stand for: series i has the i-th of eight colours.
using ChartLegend = std::vector<std::string>;

/// A line a label, with a dot at its value and a whisker over its range.
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

/// A group of bars a label, one bar a series, from 0.
struct BarChart {
  struct Group {
    std::string label;
    std::vector<double> values;
  };
  ChartAxis axis;
  ChartLegend legend;
  std::vector<Group> groups;
};
[[nodiscard]] std::string to_svg(const BarChart& chart);

/// Named points; a name is left out where there is no room for it.
struct ScatterChart {
  struct Point {
    std::string label;
    double x = 0;
    double y = 0;
    std::size_t series = 0;
  };
  ChartAxis x, y;
  ChartLegend legend;
  std::vector<Point> points;
};
[[nodiscard]] std::string to_svg(const ScatterChart& chart);

/// A table whose cells are the stronger in colour the higher their values.
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
