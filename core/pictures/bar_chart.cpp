#include "core/pictures/bar_chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace takt {

namespace {

constexpr double bar_gap = Picture::gap, bar_height = 12;

double sum_of(const BarChart::Group& group) {
  double sum = 0;
  for (const double value : group.values)
    if (std::isfinite(value)) sum += value;
  return sum;
}

std::string words_of(const BarChart& chart, const BarChart::Group& group, std::size_t i,
                     const AxisScale& scale) {
  return fmt::format("{}: {}{}", group.label, scale.text(group.values[i]),
                     i < chart.legend.size() ? " (" + chart.legend[i] + ")" : "");
}

/// Draws the bars below each other, each with its value.
void draw_bars(Picture& picture, const BarChart& chart, const BarChart::Group& group, double left,
               double width, double top, double height, const AxisScale& scale) {
  double y = top + (height - bar_height * static_cast<double>(group.values.size())) / 2;
  for (std::size_t i = 0; i < group.values.size(); ++i, y += bar_height) {
    if (!std::isfinite(group.values[i])) continue;
    const double wide = scale.at(group.values[i]) * width;
    picture.begin_group(words_of(chart, group, i, scale));
    picture.box(left, y, wide, bar_height - 1, colour_of(i), " rx=\"1.5\"");
    picture.text(left + wide + 4, y + bar_height - 2, "start", scale.text(group.values[i]), "muted",
                 " font-size=\"11\"");
    picture.end_group();
  }
}

/// Draws a stacked bar, with the values that fit.
void draw_parts(Picture& picture, const BarChart& chart, const BarChart::Group& group, double left,
                double width, double top, double height, const AxisScale& scale) {
  constexpr double high = 16;
  double sum = 0;
  for (std::size_t i = 0; i < group.values.size(); ++i) {
    if (!std::isfinite(group.values[i]) || group.values[i] <= 0) continue;
    const double begin = left + scale.at(sum) * width,
                 wide = scale.at(sum += group.values[i]) * width + left - begin;
    const std::string value = scale.text(group.values[i]);
    picture.begin_group(words_of(chart, group, i, scale));
    picture.box(begin, top + (height - high) / 2, std::max(0.0, wide - 0.8), high, pale_colour_of(i));
    if (width_of(value) < wide)
      picture.text(begin + wide / 2, top + height / 2 + 4, "middle", value, "ink", " font-size=\"11\"");
    picture.end_group();
  }
}

}  // namespace

Drawing drawn(const BarChart& chart) {
  double most = 0, label = 0;
  for (const BarChart::Group& group : chart.groups) {
    label = std::max(label, width_of(group.label));
    if (chart.is_stacked) most = std::max(most, sum_of(group));
    for (const double value : group.values)
      if (std::isfinite(value)) most = std::max(most, value);
  }
  const AxisScale scale(chart.axis, 0, most, 8, chart.is_stacked ? AxisEnd::at_value : AxisEnd::at_mark);

  // Names are complete: the picture grows with them.
  constexpr double least_plot = 360;
  const double left = label + 2 * bar_gap, width = std::max(chart_width, left + least_plot);
  Picture picture(width);
  const double right = width - 5 * bar_gap;
  const double top = picture.legend(chart.legend, bar_gap, chart.is_stacked);
  const double group_height =
      std::max(Picture::row_height,
               bar_height * static_cast<double>(chart.is_stacked ? 1 : chart.legend.size()) + bar_gap);
  const double bottom = top + group_height * static_cast<double>(chart.groups.size());
  const double end = picture.axis_below(chart.axis, scale, left, right, top, bottom);
  double y = top;
  for (const BarChart::Group& group : chart.groups) {
    picture.text(left - bar_gap, y + group_height / 2 + 4, "end", group.label);
    (chart.is_stacked ? draw_parts : draw_bars)(picture, chart, group, left, right - left, y, group_height,
                                                scale);
    y += group_height;
  }
  picture.line(left, top, left, bottom, "muted");
  return std::move(picture).drawn(end);
}

std::string to_svg(const BarChart& chart) {
  return svg_of(drawn(chart));
}

}  // namespace takt
