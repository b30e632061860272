#include "core/pictures/scatter_chart.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace takt {

namespace {

struct Box {
  double left, top, right, bottom;
  [[nodiscard]] bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// Places names next to points, each within the plot and without covering a point or another name.
class Labels {
 public:
  /// Names may extend beyond the plot to the right, which has no axis marks.
  Labels(double left, double bottom, double right) : left_(left), bottom_(bottom), right_(right) {}

  void add_point(double x, double y) { taken_.push_back({x - 5, y - 5, x + 5, y + 5}); }

  /// Draws a name right or left of a point, above or below; or not at all.
  void place(Picture& picture, double x, double y, const std::string& name) {
    if (name.empty()) return;
    // Distance of two names, so that they are not read as one.
    constexpr double between = 6;
    const double width = width_of(name);
    struct Candidate {
      double left, baseline;
    };
    for (const auto& [left, baseline] : {Candidate{x + 9, y + 4}, Candidate{x - 9 - width, y + 4},
                                         Candidate{x - width / 2, y - 9}, Candidate{x - width / 2, y + 17}}) {
      const Box box{left - between / 2, baseline - 10, left + width + between / 2, baseline + 3};
      const bool is_free =
          std::none_of(taken_.begin(), taken_.end(), [&](const Box& other) { return box.overlaps(other); });
      if (!is_free || box.left < left_ || box.right > right_ || box.bottom > bottom_) continue;
      picture.text(left, baseline, "start", name);
      taken_.push_back(box);
      return;
    }
  }

 private:
  double left_, bottom_, right_;
  std::vector<Box> taken_;
};

struct Range {
  double least = std::numeric_limits<double>::max(), most = std::numeric_limits<double>::lowest();
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

}  // namespace

std::string to_svg(const ScatterChart& chart) {
  Range x_range, y_range;
  for (const ScatterChart::Point& point : chart.points) {
    x_range.add(point.x);
    y_range.add(point.y);
  }
  for (const ScatterChart::Rule& rule : chart.rules) x_range.add(rule.at);
  for (const ScatterChart::Rule& level : chart.levels) y_range.add(level.at);
  if (chart.points.empty()) x_range = y_range = {1, 1};
  const AxisScale across(chart.x, x_range.least, x_range.most), up(chart.y, y_range.least, y_range.most);

  constexpr double gap = Picture::gap, plot_height = 380;
  Picture picture(chart_width);
  const double left = Picture::width_of_marks(up) + 4 * gap, right = chart_width - 3 * gap;
  const double names = picture.legend(chart.legend, gap) + gap;
  const double top = names + static_cast<double>(chart.rules.size()) * Picture::row_height,
               bottom = top + plot_height;
  const double end = picture.axis_below(chart.x, across, left, right, top, bottom);
  picture.axis_left(chart.y, up, left, right, top, bottom);
  const auto x = [&](const ScatterChart::Point& point) { return left + across.at(point.x) * (right - left); };
  const auto y = [&](const ScatterChart::Point& point) { return bottom - up.at(point.y) * plot_height; };

  // Each name has its own row: those of lines further right do not cross a line.
  for (std::size_t i = 0; i < chart.rules.size(); ++i) {
    const ScatterChart::Rule& rule = chart.rules[i];
    const double at = left + across.at(rule.at) * (right - left);
    const double baseline = names + (static_cast<double>(i) + 0.7) * Picture::row_height;
    const bool is_right = at + gap / 2 + width_of(rule.name) <= chart_width;
    picture.begin_group(fmt::format("{}: {}", rule.name, across.text(rule.at)));
    picture.line(at, baseline - gap, at, bottom, "ink", " stroke-dasharray=\"4 3\"");
    picture.text(is_right ? at + gap / 2 : at - gap / 2, baseline, is_right ? "start" : "end", rule.name);
    picture.end_group();
  }
  for (const ScatterChart::Rule& level : chart.levels) {
    const double at = bottom - up.at(level.at) * plot_height;
    picture.begin_group(fmt::format("{}: {}", level.name, up.text(level.at)));
    picture.line(left, at, right, at, "ink", " stroke-dasharray=\"4 3\"");
    picture.text(right, at - gap / 2, "end", level.name);
    picture.end_group();
  }
  if (chart.has_stairs) {
    std::map<std::size_t, std::string> stairs;
    for (std::size_t i = 0; i < chart.points.size(); ++i) {
      const ScatterChart::Point& point = chart.points[i];
      std::string& stair = stairs[point.series];
      if (stair.empty()) stair = fmt::format("M{:.1f} {:.1f}", x(point), top);
      const auto next =
          std::find_if(chart.points.begin() + static_cast<std::ptrdiff_t>(i) + 1, chart.points.end(),
                       [&](const auto& other) { return other.series == point.series; });
      stair += fmt::format("V{:.1f}H{:.1f}", y(point), next == chart.points.end() ? left : x(*next));
    }
    for (const auto& [series, commands] : stairs)
      picture.path(commands, colour_of(series), " stroke-opacity=\"0.45\"");
  }
  Labels labels(left, bottom, chart_width);
  for (const ScatterChart::Point& point : chart.points) labels.add_point(x(point), y(point));
  for (const ScatterChart::Point& point : chart.points) {
    picture.begin_group(point.title.empty()
                            ? fmt::format("{}: {}, {}", point.label, across.text(point.x), up.text(point.y))
                            : point.title);
    picture.mark(x(point), y(point), 5, point.series);
    labels.place(picture, x(point), y(point), point.label);
    picture.end_group();
  }
  return std::move(picture).finished(end);
}

}  // namespace takt
