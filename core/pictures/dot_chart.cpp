#include "core/pictures/dot_chart.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace takt {

std::string to_svg(const DotChart& chart) {
  double least = std::numeric_limits<double>::max(), most = std::numeric_limits<double>::lowest();
  double label = 0, figure = 0;
  for (const DotChart::Dot& dot : chart.dots) {
    least = std::min(least, dot.least);
    most = std::max(most, dot.most);
    label = std::max(label, width_of(dot.label));
  }
  if (chart.dots.empty()) least = most = 1;
  const AxisScale scale(chart.axis, least, most);
  for (const DotChart::Dot& dot : chart.dots) figure = std::max(figure, width_of(scale.text(dot.value)));

  constexpr double gap = Picture::gap;
  Picture picture(chart_width);
  const double left = label + 2 * gap, right = chart_width - figure - 2 * gap;
  const double top = picture.legend(chart.legend, gap);
  const double bottom = top + Picture::row_height * static_cast<double>(chart.dots.size());
  const double end = picture.axis_below(chart.axis, scale, left, right, top, bottom);
  const auto x = [&](double value) { return left + scale.at(value) * (right - left); };
  double y = top + Picture::row_height / 2;
  for (const DotChart::Dot& dot : chart.dots) {
    picture.begin_group(fmt::format("{}: mean {}, from {} to {}", dot.label, scale.text(dot.value),
                                    scale.text(dot.least), scale.text(dot.most)));
    picture.text(left - gap, y + 4, "end", dot.label);
    picture.line(x(dot.least), y, x(dot.most), y, colour_of(dot.series),
                 " stroke-width=\"3\" stroke-opacity=\"0.35\" stroke-linecap=\"round\"");
    picture.mark(x(dot.value), y, 5, dot.series);
    picture.text(chart_width - gap, y + 4, "end", scale.text(dot.value), "muted");
    picture.end_group();
    y += Picture::row_height;
  }
  return std::move(picture).finished(end);
}

}  // namespace takt
