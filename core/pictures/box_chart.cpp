#include "core/pictures/box_chart.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace takt {

std::string to_svg(const BoxChart& chart) {
  double least = std::numeric_limits<double>::max(), most = std::numeric_limits<double>::lowest(), label = 0;
  for (const BoxChart::Group& group : chart.groups) {
    label = std::max(label, width_of(group.label));
    for (const BoxChart::Box& box : group.boxes) {
      least = std::min(least, box.least);
      most = std::max(most, box.most);
    }
  }
  if (least > most) least = most = 1;
  const AxisScale scale(chart.axis, least, most);

  constexpr double gap = Picture::gap, width = 980, plot_height = 280;
  Picture picture(width);
  picture.text(gap, 2 * gap, "start", chart.title, "ink", " font-size=\"14\"");
  const double left = Picture::width_of_marks(scale) + 4 * gap, right = width - gap;
  const double top = picture.legend(chart.legend, 3 * gap), bottom = top + plot_height;
  picture.axis_left(chart.axis, scale, left, right, top, bottom);
  const auto y = [&](double value) { return bottom - scale.at(value) * plot_height; };

  const double group_width =
      (right - left) / static_cast<double>(std::max<std::size_t>(chart.groups.size(), 1));
  double begin = left + 0.1 * group_width;
  for (const BoxChart::Group& group : chart.groups) {
    const double each = 0.8 * group_width / static_cast<double>(std::max<std::size_t>(group.boxes.size(), 1));
    for (std::size_t i = 0; i < group.boxes.size(); ++i) {
      const BoxChart::Box& box = group.boxes[i];
      const double x = begin + each * static_cast<double>(i), box_width = 0.9 * each;
      picture.begin_group(fmt::format("{}{}: {} to {}, quartiles {} to {}, median {}", group.label,
                                      i < chart.legend.size() ? ", " + chart.legend[i] : "",
                                      scale.text(box.least), scale.text(box.most), scale.text(box.lower),
                                      scale.text(box.upper), scale.text(box.median)));
      picture.line(x + box_width / 2, y(box.most), x + box_width / 2, y(box.least), colour_of(i));
      picture.box(x, y(box.upper), box_width, std::max(1.5, y(box.lower) - y(box.upper)), colour_of(i));
      picture.line(x, y(box.median), x + box_width, y(box.median), "card");
      picture.end_group();
    }
    picture.turned_text(begin + 0.45 * group_width, bottom + 2 * gap, -30, "end", group.label);
    begin += group_width;
  }
  return std::move(picture).finished(bottom + 2 * gap + 0.5 * label + gap);
}

}  // namespace takt
