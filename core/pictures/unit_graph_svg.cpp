#include "core/pictures/unit_graph_svg.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"

namespace takt {

namespace {

using UnitsJson = nlohmann::ordered_json;

constexpr double unit_height = 30, margin = 16;

/// UnitState of pipeline/pages/unit_replay.hpp.
enum State : int { absent, clear, lined, hashed, black, waiting };

std::vector<int> last_states(const UnitsJson& run) {
  std::vector<int> states(run["nodes"]["tag"].size(), absent);
  const UnitsJson& changes = run["changes"];
  for (std::size_t i = 0; i < changes["unit"].size(); ++i)
    states[changes["unit"][i].get<std::size_t>()] = changes["state"][i].get<int>();
  return states;
}

/// Horizontal lines within a box.
std::string lines_of(double left, double top, double width) {
  constexpr double distance = 4;
  std::string path;
  for (double y = distance; y < unit_height; y += distance)
    path += fmt::format("M{:.1f} {:.1f}H{:.1f}", left, top + y, left + width);
  return path;
}

/// Diagonals in both directions, cut at the sides of the box.
std::string hatch_of(double left, double top, double width) {
  constexpr double distance = 6;
  std::string path;
  for (double at = distance - unit_height; at < width; at += distance) {
    const double from = std::max(at, 0.0), to = std::min(at + unit_height, width);
    path += fmt::format("M{0:.1f} {1:.1f}L{2:.1f} {3:.1f}M{0:.1f} {4:.1f}L{2:.1f} {5:.1f}", left + from,
                        top + from - at, left + to, top + to - at, top + unit_height - (from - at),
                        top + unit_height - (to - at));
  }
  return path;
}

}  // namespace

Drawing svg_of_units(const UnitsJson& run) {
  const UnitsJson &nodes = run["nodes"], &edges = run["edges"];
  const std::vector<int> states = last_states(run);
  const std::size_t count = states.size();
  const auto number = [](const UnitsJson& columns, const char* name, std::size_t i) {
    return columns[name][i].get<double>();
  };
  double left = 0, right = 60, high = 0, low = 0;
  for (std::size_t unit = 0; unit < count; ++unit) {
    const double x = number(nodes, "x", unit), y = number(nodes, "y", unit);
    const double half = number(nodes, "width", unit) / 2;
    left = unit == 0 ? x - half : std::min(left, x - half);
    right = unit == 0 ? x + half : std::max(right, x + half);
    high = unit == 0 ? y : std::min(high, y);
    low = unit == 0 ? y : std::max(low, y);
  }
  const double dx = margin - left, dy = margin + unit_height / 2 - high;
  std::set<std::size_t> path;
  for (const char* const column : {"units", "children"})
    for (const UnitsJson& each : run["by_time"][column]) path.insert(each.get<std::size_t>());
  Picture picture(std::max(right - left + 2 * margin, 420.0));
  std::size_t bend = 0;
  for (std::size_t edge = 0; edge < edges["below"].size(); ++edge) {
    const auto below = edges["below"][edge].get<std::size_t>(),
               above = edges["above"][edge].get<std::size_t>();
    double x = number(nodes, "x", below) + dx, y = number(nodes, "y", below) + dy - unit_height / 2;
    std::string line = fmt::format("M{:.1f} {:.1f}", x, y);
    const auto curve_to = [&](double to_x, double to_y) {
      const double half = (y + to_y) / 2;
      line += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", x, half, to_x, half, to_x, to_y);
      x = to_x;
      y = to_y;
    };
    for (auto points = edges["bends"][edge].get<std::size_t>(); points > 0; --points, ++bend)
      curve_to(run["bends"][2 * bend].get<double>() + dx, run["bends"][2 * bend + 1].get<double>() + dy);
    curve_to(number(nodes, "x", above) + dx, number(nodes, "y", above) + dy + unit_height / 2);
    if (states[below] == absent || states[above] == absent) continue;
    const bool is_critical = path.contains(below) && path.contains(above);
    picture.path(line, is_critical ? "ink" : "muted",
                 std::string(is_critical ? " stroke-width=\"2.5\"" : "") +
                     (edges["child"][edge] == 1 ? " stroke-dasharray=\"4 3\"" : ""));
  }
  for (std::size_t unit = 0; unit < count; ++unit) {
    const int state = states[unit];
    if (state == absent) continue;
    const double width = number(nodes, "width", unit), x = number(nodes, "x", unit) + dx - width / 2;
    const double y = number(nodes, "y", unit) + dy - unit_height / 2;
    const std::string tag = std::to_string(nodes["tag"][unit].get<std::int64_t>());
    picture.begin_group(fmt::format("tag {}: {} s", tag, number_text(number(nodes, "seconds", unit))));
    picture.box(x, y, width, unit_height, state == black ? "ink" : "card");
    if (state == lined) picture.path(lines_of(x, y, width), "ink");
    if (state == hashed) picture.path(hatch_of(x, y, width), "heat");
    picture.path(fmt::format("M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z", x, y, x + width, y + unit_height),
                 "ink",
                 std::string(path.contains(unit) ? " stroke-width=\"2.5\"" : "") +
                     (state == waiting ? " stroke-dasharray=\"3 3\"" : ""));
    const double middle = x + width / 2;
    if (state == lined || state == hashed)
      picture.box(middle - width_of(tag) / 2 - 2, y + unit_height / 2 - 8, width_of(tag) + 4, 16, "card");
    picture.text(middle, y + unit_height / 2 + 4, "middle", tag, state == black ? "card" : "ink");
    picture.end_group();
  }
  double end = low + dy + unit_height / 2 + margin;
  for (const char* const says :
       {"clear: waits for dependencies; lined: may start; hashed: executes",
        "filled: complete; broken frame: waits for children", "The critical path by time has thick lines."}) {
    picture.text(4, end + 4, "start", says, "muted");
    end += Picture::row_height;
  }
  for (const UnitsJson& each : run["findings"]) {
    picture.text(4, end + 4, "start", each.get<std::string>(), "ink");
    end += Picture::row_height;
  }
  return std::move(picture).drawn(end + 4);
}

}  // namespace takt
