#include "core/pictures/chart_svg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/axis.hpp"
#include "core/pictures/bar_chart.hpp"
#include "core/pictures/figure_text.hpp"

namespace takt {

namespace {

using ChartJson = nlohmann::ordered_json;

constexpr double line_chart_width = 960, plot_height = 300;

struct ChartPoint {
  double x = 0, y = 0;
};

struct ChartSeries {
  std::string name, style;
  std::vector<ChartPoint> points;
  /// The series whose colour and marks it uses.
  std::size_t look = 0;
};

double number_or_nan(const ChartJson& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

std::vector<ChartSeries> series_of(const ChartJson& view) {
  std::vector<ChartSeries> all;
  for (const ChartJson& each : view["series"]) {
    ChartSeries& series =
        all.emplace_back(ChartSeries{each["name"].get<std::string>(), each["style"].get<std::string>(), {}});
    series.look = each.value("of", all.size() - 1);
    for (std::size_t i = 0; i < each["x"].size(); ++i)
      series.points.push_back({number_or_nan(each["x"][i]), number_or_nan(each["y"][i])});
    if (each.contains("zeros"))
      for (const ChartJson& i : each["zeros"])
        series.points[i.get<std::size_t>()].y = -std::numeric_limits<double>::infinity();
  }
  return all;
}

Drawing bars(const ChartJson& view, const std::vector<ChartSeries>& all) {
  double most = 0;
  for (const ChartSeries& series : all)
    for (const ChartPoint& each : series.points)
      if (std::isfinite(each.y)) most = std::max(most, std::abs(each.y));
  const AxisUnit unit = axis_unit(view["y"].get<std::string>(), most);
  BarChart chart;
  chart.axis.title = unit.title;
  chart.is_stacked = view.value("stacked", false);
  for (const ChartJson& name : view["names"]) chart.groups.push_back({name.get<std::string>(), {}});
  for (const ChartSeries& series : all) {
    chart.legend.push_back(series.name);
    for (std::size_t i = 0; i < chart.groups.size(); ++i)
      chart.groups[i].values.push_back(i < series.points.size() ? series.points[i].y / unit.size
                                                                : std::nan(""));
  }
  return drawn(chart);
}

/// Without values, an axis would be arbitrary.
Drawing no_values() {
  constexpr double height = 60;
  Picture picture(line_chart_width);
  picture.text(line_chart_width / 2, height / 2, "middle", "no values", "muted");
  return std::move(picture).drawn(height);
}

using AxisText = std::string (*)(double);

/// Returns the format of a logarithmic axis's marks, by the unit at the end of its title; numbers without
/// one.
AxisText text_of_marks(std::string_view title) {
  return title.ends_with("(B)")    ? bytes_text
         : title.ends_with("(ns)") ? time_text
         : title.ends_with("(Hz)") ? frequency_text
                                   : nullptr;
}

ChartAxis logarithmic_axis(const std::string& title) {
  const AxisText text = text_of_marks(title);
  return {.title = text == nullptr ? title : title.substr(0, title.rfind(" (")),
          .scale = Scale::logarithmic,
          .text = text,
          .base = text == bytes_text ? 2.0 : 10.0};
}

/// Returns a line through the points, interrupted at missing values.
std::string line_through(const std::vector<ChartPoint>& points, bool has_steps) {
  std::string commands;
  bool is_down = false;
  double column = std::nan(""), least = 0, most = 0, last_y = 0;
  for (const ChartPoint& each : points) {
    if (!std::isfinite(each.y) || !std::isfinite(each.x)) {
      is_down = false;
      continue;
    }
    if (is_down && std::floor(each.x) == column) {
      if (each.y < least || each.y > most) commands += fmt::format("L{:.1f} {:.1f}", each.x, each.y);
      least = std::min(least, each.y);
      most = std::max(most, each.y);
      last_y = each.y;
      continue;
    }
    if (is_down && has_steps) commands += fmt::format("L{:.1f} {:.1f}", each.x, last_y);
    commands += fmt::format("{}{:.1f} {:.1f}", is_down ? 'L' : 'M', each.x, each.y);
    is_down = true;
    column = std::floor(each.x);
    least = most = last_y = each.y;
  }
  return commands;
}

}  // namespace

Drawing svg_of_chart(const ChartJson& view) {
  std::vector<ChartSeries> all = series_of(view);
  if (view.contains("names")) return bars(view, all);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double x1 = infinity, x2 = -infinity, y1 = infinity, y2 = -infinity;
  ChartLegend legend;
  const bool is_log = view.value("log", false);
  for (ChartSeries& series : all) {
    // A series with the colour of another one has no legend entry.
    if (series.look == legend.size()) legend.push_back(series.name);
    for (ChartPoint& each : series.points) {
      if (is_log && !(each.x > 0 && each.y > 0)) each.y = std::nan("");
      if (!std::isfinite(each.y)) continue;
      x1 = std::min(x1, each.x);
      x2 = std::max(x2, each.x);
      y1 = std::min(y1, each.y);
      y2 = std::max(y2, each.y);
    }
  }
  if (x1 > x2) return no_values();
  const auto unit_of = [&](const char* axis, double a, double b) {
    const std::string title = view[axis].get<std::string>();
    return is_log ? AxisUnit{title, 1} : axis_unit(title, std::max(std::abs(a), std::abs(b)));
  };
  const AxisUnit x_unit = unit_of("x", x1, x2), y_unit = unit_of("y", y1, y2);
  x1 /= x_unit.size, x2 /= x_unit.size, y1 /= y_unit.size, y2 /= y_unit.size;
  for (ChartSeries& series : all)
    for (ChartPoint& each : series.points) each = {each.x / x_unit.size, each.y / y_unit.size};
  // The axis of positive values begins at 0 unless they are far from it; 0 decibels are not zero.
  const double origin = !is_log && y1 > 0 && y1 < 0.7 * y2 && y_unit.title != "decibels" ? 0 : y1;
  const ChartAxis across = is_log ? logarithmic_axis(x_unit.title)
                                  : ChartAxis{.title = x_unit.title, .origin = x1},
                  up = is_log ? logarithmic_axis(y_unit.title)
                              : ChartAxis{.title = y_unit.title, .origin = origin};
  const AxisScale x_scale(across, x1, x2, 9, AxisEnd::at_value), y_scale(up, origin, y2, 6);

  constexpr double gap = Picture::gap;
  Picture picture(line_chart_width);
  const double left = Picture::width_of_marks(y_scale) + 4 * gap, right = line_chart_width - 4 * gap;
  const double top = picture.legend(legend, gap) + gap, bottom = top + plot_height;
  const double end = picture.axis_below(across, x_scale, left, right, top, bottom);
  picture.axis_left(up, y_scale, left, right, top, bottom);
  constexpr std::string_view dashes[] = {"", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 2\"",
                                         " stroke-dasharray=\"8 3 2 3\""};
  for (std::size_t s = 0; s < all.size(); ++s) {
    std::vector<ChartPoint> places;
    for (const ChartPoint& each : all[s].points)
      places.push_back({left + x_scale.at(each.x) * (right - left),
                        each.y == -infinity     ? bottom
                        : std::isfinite(each.y) ? bottom - y_scale.at(each.y) * plot_height
                                                : std::nan("")});
    picture.begin_group(all[s].name);
    if (all[s].style != "dots") {
      const std::size_t look = all[s].look,
                        dash = all[s].style == "line" && look > 0 ? 1 + (look - 1) % 3 : 0;
      picture.path(line_through(places, all[s].style == "steps"), colour_of(look),
                   fmt::format(" stroke-width=\"1.6\"{}", dashes[dash]));
    }
    picture.end_group();
    constexpr std::size_t most_marks = 60;
    if (all[s].style != "dots" && (is_log || places.size() >= most_marks)) continue;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!std::isfinite(places[i].y)) continue;
      const double y = all[s].points[i].y;
      picture.begin_group(
          fmt::format("{}: {}, {}", all[s].name,
                      is_log ? x_scale.text(all[s].points[i].x) : number_text(all[s].points[i].x),
                      !std::isfinite(y) ? "0"
                      : is_log          ? y_scale.text(y)
                                        : number_text(y)));
      picture.mark(places[i].x, places[i].y,
                   all[s].look != s         ? 3
                   : all[s].style == "dots" ? 5
                                            : 2.5,
                   all[s].look);
      picture.end_group();
    }
  }
  return std::move(picture).drawn(end);
}

}  // namespace takt
