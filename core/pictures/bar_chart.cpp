#include "core/pictures/bar_chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace takt {

Drawing drawn(const BarChart& chart) {
  double most = 0, label = 0;
  for (const BarChart::Group& group : chart.groups) {
    label = std::max(label, width_of(group.label));
    for (const double value : group.values)
      if (std::isfinite(value)) most = std::max(most, value);
  }
  const AxisScale scale(chart.axis, 0, most);

  constexpr double gap = Picture::gap, bar = 12;
  Picture picture(chart_width);
  const double left = label + 2 * gap, right = chart_width - 5 * gap;
  const double top = picture.legend(chart.legend, gap);
  const double group_height =
      std::max(Picture::row_height, bar * static_cast<double>(chart.legend.size()) + gap);
  const double bottom = top + group_height * static_cast<double>(chart.groups.size());
  const double end = picture.axis_below(chart.axis, scale, left, right, top, bottom);
  double y = top;
  for (const BarChart::Group& group : chart.groups) {
    picture.text(left - gap, y + group_height / 2 + 4, "end", group.label);
    double bar_top = y + (group_height - bar * static_cast<double>(group.values.size())) / 2;
    for (std::size_t i = 0; i < group.values.size(); ++i, bar_top += bar) {
      if (!std::isfinite(group.values[i])) continue;
      const double width = scale.at(group.values[i]) * (right - left);
      picture.begin_group(fmt::format("{}: {}{}", group.label, scale.text(group.values[i]),
                                      i < chart.legend.size() ? " (" + chart.legend[i] + ")" : ""));
      picture.box(left, bar_top, width, bar - 1, colour_of(i), " rx=\"1.5\"");
      picture.text(left + width + 4, bar_top + bar - 2, "start", scale.text(group.values[i]), "muted",
                   " font-size=\"11\"");
      picture.end_group();
    }
    y += group_height;
  }
  picture.line(left, top, left, bottom, "muted");
  return std::move(picture).drawn(end);
}

std::string to_svg(const BarChart& chart) {
  return svg_of(drawn(chart));
}

}  // namespace takt
