#include "core/pictures/picture.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/pictures/html.hpp"
#include "core/pictures/palette.hpp"
#include "core/pictures/text_fill.hpp"

namespace takt {

double width_of(std::string_view text) {
  constexpr double letter_width = 7;
  return letter_width * static_cast<double>(letters_of(text));
}

std::string colour_of(std::size_t series) {
  return fmt::format("c{}", series % series_colours);
}

void Picture::text(double x, double y, std::string_view anchor, std::string_view text,
                   std::string_view colour, std::string_view more) {
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"f-{}\"{}>{}</text>\n", x, y,
                      anchor, colour, more, escape_markup(text));
}

void Picture::turned_text(double x, double y, double angle, std::string_view anchor, std::string_view text,
                          std::string_view colour) {
  out_ += fmt::format(
      "<text transform=\"translate({:.1f} {:.1f}) rotate({:.0f})\" text-anchor=\"{}\" "
      "class=\"f-{}\">{}</text>\n",
      x, y, angle, anchor, colour, escape_markup(text));
}

void Picture::line(double x1, double y1, double x2, double y2, std::string_view colour,
                   std::string_view more) {
  path(fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x1, y1, x2, y2), colour, more);
}

void Picture::path(std::string_view commands, std::string_view colour, std::string_view more) {
  out_ += fmt::format("<path d=\"{}\" class=\"s-{}\"{}/>\n", commands, colour, more);
}

void Picture::box(double x, double y, double width, double height, std::string_view colour,
                  std::string_view more) {
  out_ +=
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"f-{}\"{}/>\n",
                  x, y, width, height, colour, more);
}

void Picture::mark(double x, double y, double radius, std::size_t series) {
  const double r = radius;
  switch (series / series_colours % 3) {
    case 0:
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"f-{}\"/>\n", x, y, r,
                          colour_of(series));
      break;
    case 1:
      box(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r, colour_of(series));
      break;
    default:
      out_ +=
          fmt::format("<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" class=\"f-{}\"/>\n", x,
                      y - 1.2 * r, x + 1.1 * r, y + 0.9 * r, x - 1.1 * r, y + 0.9 * r, colour_of(series));
  }
}

void Picture::begin_group(std::string_view title) {
  out_ += fmt::format("<g><title>{}</title>\n", escape_markup(title));
}

double Picture::legend(const ChartLegend& names, double top) {
  if (names.size() < 2) return top;
  double x = 4;
  top += gap;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double needed = width_of(names[i]) + 30;
    if (x > 4 && x + needed > width_) {
      x = 4;
      top += row_height;
    }
    mark(x + 5, top, 5, i);
    text(x + 15, top + 4, "start", names[i]);
    x += needed;
  }
  return top + row_height;
}

double Picture::axis_below(const ChartAxis& axis, const AxisScale& scale, double left, double right,
                           double top, double bottom) {
  for (const double mark : scale.marks()) {
    const double x = left + scale.at(mark) * (right - left);
    line(x, top, x, bottom, "grid");
    text(x, bottom + 15, "middle", scale.text(mark), "muted");
  }
  text((left + right) / 2, bottom + 34, "middle", axis.title, "muted");
  return bottom + 44;
}

void Picture::axis_above(const AxisScale& scale, double left, double right, double top, double bottom) {
  for (const double mark : scale.marks()) {
    const double x = left + scale.at(mark) * (right - left);
    line(x, top - 6, x, bottom, "grid");
    text(x, top - 10, "middle", scale.text(mark), "muted");
  }
}

void Picture::axis_left(const ChartAxis& axis, const AxisScale& scale, double left, double right, double top,
                        double bottom) {
  for (const double mark : scale.marks()) {
    const double y = bottom - scale.at(mark) * (bottom - top);
    line(left, y, right, y, "grid");
    text(left - gap, y + 4, "end", scale.text(mark), "muted");
  }
  turned_text(12, (top + bottom) / 2, -90, "middle", axis.title, "muted");
}

double Picture::width_of_marks(const AxisScale& scale) {
  double widest = 0;
  for (const double mark : scale.marks()) widest = std::max(widest, width_of(scale.text(mark)));
  return widest;
}

std::string Picture::finished(double height) && {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\">\n{2}</svg>\n",
      width_, height, out_);
}

}  // namespace takt
