#include "core/pictures/waterfall_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/axis.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/png.hpp"
#include "core/text/base64.hpp"

namespace takt {

namespace {

using WaterfallJson = nlohmann::ordered_json;

constexpr double waterfall_width = 960, least_height = 120, most_height = 420, scale_room = 110;
constexpr std::uint8_t zero_level = 254, missing_level = 255;
/// Black in the colour map; grey, and half transparent.
constexpr PixelColour of_zero{0, 0, 0, 255}, of_missing{150, 150, 150, 90};

/// viridis (matplotlib, CC0) at ten points, with linear interpolation.
PixelColour heat_colour(double share) {
  constexpr std::array<std::array<double, 3>, 10> anchors{{{68, 1, 84},
                                                           {72, 40, 120},
                                                           {62, 74, 137},
                                                           {49, 104, 142},
                                                           {38, 130, 142},
                                                           {31, 158, 137},
                                                           {53, 183, 121},
                                                           {110, 206, 88},
                                                           {181, 222, 43},
                                                           {253, 231, 37}}};
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(anchors.size() - 1);
  const std::size_t low = std::min(anchors.size() - 2, static_cast<std::size_t>(at));
  PixelColour colour{0, 0, 0, 255};
  for (std::size_t i = 0; i < 3; ++i)
    colour[i] = static_cast<std::uint8_t>(std::lround(
        anchors[low][i] + (at - static_cast<double>(low)) * (anchors[low + 1][i] - anchors[low][i])));
  return colour;
}

/// Returns the colour of every level of a cell.
std::array<PixelColour, 256> colours_of_levels() {
  std::array<PixelColour, 256> colours{};
  for (std::size_t level = 0; level < zero_level; ++level)
    colours[level] = heat_colour(static_cast<double>(level) / (zero_level - 1));
  colours[zero_level] = of_zero;
  colours[missing_level] = of_missing;
  return colours;
}

std::string png_of_cells(const std::vector<std::uint8_t>& cells, std::size_t rows, std::size_t columns) {
  const std::string png = png_of(columns, rows, cells, colours_of_levels());
  return base64(std::as_bytes(std::span(png)));
}

void swatch(Picture& picture, double x, double y, double width, double height, const PixelColour& colour) {
  picture.raw(
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                  "fill=\"rgb({},{},{})\" fill-opacity=\"{:.2f}\"/>\n",
                  x, y, width, height, colour[0], colour[1], colour[2], colour[3] / 255.0));
}

/// Draws the scale from the least value upwards to the largest; below it, the colours of other cells.
void draw_scale(Picture& picture, const WaterfallJson& view, const std::vector<std::uint8_t>& cells, double x,
                double top, double bottom) {
  const AxisUnit fitting =
      axis_unit(view["unit"].get<std::string>(),
                std::max(std::abs(view["least"].get<double>()), std::abs(view["most"].get<double>())));
  const double least = view["least"].get<double>() / fitting.size,
               most = view["most"].get<double>() / fitting.size;
  const bool has_zeros = std::ranges::count(cells, zero_level) > 0,
             has_missing = std::ranges::count(cells, missing_level) > 0;
  const bool has_values = std::ranges::any_of(cells, [](std::uint8_t each) { return each < zero_level; });
  double y = bottom;
  const auto single = [&](const PixelColour& colour, const std::string& says) {
    y -= 18;
    swatch(picture, x, y, 14, 14, colour);
    picture.text(x + 19, y + 11, "start", says, "muted", " font-size=\"11\"");
  };
  if (has_missing) single(of_missing, "missing");
  if (has_zeros) single(of_zero, "0");
  const std::string& unit = fitting.title;
  if (has_values && least == most) {
    single(heat_colour(0), fmt::format("all {}{}{}", number_text(least), unit.empty() ? "" : " ", unit));
    return;
  }
  if (!has_values) return;
  constexpr int steps = 64;
  y -= 8;
  for (int i = 0; i < steps; ++i)
    swatch(picture, x, top + (y - top) * i / steps, 14, (y - top) / steps + 0.5,
           heat_colour(1 - (i + 0.5) / steps));
  constexpr int marks = 4;
  // Labels need no finer resolution than this many values.
  constexpr double distinct_marks = 20;
  for (int i = 0; i <= marks; ++i)
    picture.text(
        x + 19, top + 10 + (y - top - 12) * (1 - static_cast<double>(i) / marks), "start",
        fmt::format("{}{}", mark_text(least + (most - least) * i / marks, (most - least) / distinct_marks),
                    i == marks && !unit.empty() ? " " + unit : ""),
        "muted", " font-size=\"11\"");
}

}  // namespace

Drawing svg_of_waterfall(const WaterfallJson& view) {
  const auto rows = view["rows"].get<std::size_t>(), columns = view["columns"].get<std::size_t>();
  std::vector<std::uint8_t> cells;
  for (const std::byte each : from_base64(view["cells"].get<std::string>()))
    cells.push_back(std::to_integer<std::uint8_t>(each));

  const double x1 = view["first_x"].get<double>(), x2 = view["last_x"].get<double>(),
               y1 = view["first_y"].get<double>(), y2 = view["last_y"].get<double>();
  const AxisUnit across = axis_unit(view["x"].get<std::string>(), std::max(std::abs(x1), std::abs(x2))),
                 down = axis_unit(view["y"].get<std::string>(), std::max(std::abs(y1), std::abs(y2)));
  const ChartAxis x_axis{.title = across.title, .origin = x1 / across.size};
  const ChartAxis y_axis{.title = down.title, .origin = y1 / down.size};
  const AxisScale x_scale(x_axis, x_axis.origin, x2 / across.size, 8, AxisEnd::at_value);
  const AxisScale y_scale(y_axis, y_axis.origin, y2 / down.size, 6, AxisEnd::at_value);
  constexpr double gap = Picture::gap;
  const double left = Picture::width_of_marks(y_scale) + 4 * gap, right = waterfall_width - scale_room;
  const double top = gap,
               bottom = top + std::clamp(2.0 * static_cast<double>(rows), least_height, most_height);
  Picture picture(waterfall_width);
  if (rows > 0 && columns > 0)
    picture.raw(
        fmt::format("<image x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                    "preserveAspectRatio=\"none\" style=\"image-rendering: {}\" "
                    "href=\"data:image/png;base64,{}\"/>\n",
                    left, top, right - left, bottom - top,
                    static_cast<double>(columns) > right - left ? "auto" : "pixelated",
                    png_of_cells(cells, rows, columns)));
  for (const double mark : x_scale.marks()) {
    const double at = left + x_scale.at(mark) * (right - left);
    picture.line(at, bottom, at, bottom + 4, "muted");
    picture.text(at, bottom + 16, "middle", x_scale.mark_text(mark), "muted");
  }
  picture.text((left + right) / 2, bottom + 34, "middle", x_axis.title, "muted");
  // Time increases downwards.
  for (const double mark : y_scale.marks()) {
    const double at = top + y_scale.at(mark) * (bottom - top);
    picture.line(left - 4, at, left, at, "muted");
    picture.text(left - gap, at + 4, "end", y_scale.mark_text(mark), "muted");
  }
  picture.turned_text(12, (top + bottom) / 2, -90, "middle", y_axis.title, "muted");
  draw_scale(picture, view, cells, right + 12, top, bottom);
  return std::move(picture).drawn(bottom + 44);
}

}  // namespace takt
