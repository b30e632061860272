#include "core/pictures/picture.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "core/pictures/html.hpp"
#include "core/pictures/text_fill.hpp"

namespace takt {

double width_of(std::string_view text) {
  constexpr double letter_width = 7;
  return letter_width * static_cast<double>(letters_of(text));
}

std::size_t common_beginning(std::span<const std::string> names) {
  if (names.size() < 2) return 0;
  std::string_view common = names.front();
  for (const std::string& name : names) {
    const auto [own, other] = std::ranges::mismatch(common, name);
    common = common.substr(0, static_cast<std::size_t>(own - common.begin()));
  }
  const auto is_part_of_word = [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte >= 0x80U || std::isalnum(byte) != 0;
  };
  while (!common.empty() && is_part_of_word(common.back())) common.remove_suffix(1);
  constexpr std::size_t least = 4;
  return common.size() < least ? 0 : common.size();
}

std::string shortened_to(std::string_view text, double width, std::size_t common) {
  const std::size_t letters = letters_of(text);
  const auto room = static_cast<std::size_t>(std::max(0.0, width) / width_of("x"));
  if (letters <= room) return std::string(text);
  if (common > 0) return shortened_to("…" + std::string(text.substr(common)), width);
  constexpr std::size_t least = 2, least_for_end = 8;
  if (room < least) return "";
  // The end distinguishes names as often as the beginning.
  const std::size_t last = room >= least_for_end ? (room - 1) / 2 : 0, first = room - 1 - last;
  // Multi-byte characters stay whole.
  const auto place_of = [&](std::size_t letter) {
    std::size_t at = 0;
    for (std::size_t seen = 0; at < text.size(); ++at)
      if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U && seen++ == letter) break;
    return at;
  };
  return std::string(text.substr(0, place_of(first))) + "…" +
         std::string(text.substr(place_of(letters - last)));
}

std::vector<std::string> lines_in(std::string_view text, double width) {
  const auto room = std::max<std::size_t>(1, static_cast<std::size_t>(std::max(0.0, width) / width_of("x")));
  std::vector<std::string> lines;
  std::string line;
  std::size_t letters = 0;
  const auto break_line = [&] {
    lines.push_back(std::exchange(line, {}));
    letters = 0;
  };
  const std::string filled = fill(text, room);
  for (const char byte : filled) {
    if (byte == '\n') {
      break_line();
      continue;
    }
    const bool begins_letter = (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    if (begins_letter && letters == room) break_line();
    letters += begins_letter ? 1 : 0;
    line += byte;
  }
  break_line();
  return lines;
}

std::string colour_of(std::size_t series) {
  return fmt::format("c{}", series % series_colours);
}

std::string pale_colour_of(std::size_t number) {
  return fmt::format("p{}", number % pale_colours);
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

void Picture::hatch(double x, double y, double width, double height) {
  // Lines instead of a pattern, whose name would have to be unique among several pictures.
  constexpr double step = 6;
  std::string lines;
  for (double from = x - height; from < x + width; from += step) {
    const double begin = std::max(from, x), end = std::min(from + height, x + width);
    if (end > begin)
      lines += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", begin, y + height - (begin - from), end,
                           y + height - (end - from));
  }
  if (!lines.empty()) path(lines, "card", " stroke-width=\"1\"");
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

double Picture::legend(const ChartLegend& names, double top, bool is_pale) {
  if (names.size() < 2) return top;
  double x = 4;
  top += gap;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double needed = width_of(names[i]) + 30;
    if (x > 4 && x + needed > width_) {
      x = 4;
      top += row_height;
    }
    if (is_pale)
      box(x, top - 5, 11, 11, pale_colour_of(i));
    else
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
    text(x, bottom + 15, "middle", scale.mark_text(mark), "muted");
  }
  text((left + right) / 2, bottom + 34, "middle", axis.title, "muted");
  return bottom + 44;
}

void Picture::axis_above(const AxisScale& scale, double left, double right, double top, double bottom) {
  for (const double mark : scale.marks()) {
    const double x = left + scale.at(mark) * (right - left);
    line(x, top - 6, x, bottom, "grid");
    text(x, top - 10, "middle", scale.mark_text(mark), "muted");
  }
}

void Picture::axis_left(const ChartAxis& axis, const AxisScale& scale, double left, double right, double top,
                        double bottom) {
  for (const double mark : scale.marks()) {
    const double y = bottom - scale.at(mark) * (bottom - top);
    line(left, y, right, y, "grid");
    text(left - gap, y + 4, "end", scale.mark_text(mark), "muted");
  }
  turned_text(12, (top + bottom) / 2, -90, "middle", axis.title, "muted");
}

double Picture::width_of_marks(const AxisScale& scale) {
  double widest = 0;
  for (const double mark : scale.marks()) widest = std::max(widest, width_of(scale.mark_text(mark)));
  return widest;
}

void Picture::place(double x, double y, const Drawing& drawing) {
  out_ += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n", x, y, drawing.body);
}

std::string svg_of(const Drawing& drawing) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\">\n{2}</svg>\n",
      drawing.width, drawing.height, drawing.body);
}

std::string Picture::finished(double height) && {
  return svg_of(std::move(*this).drawn(height));
}

}  // namespace takt
