#include "core/pictures/page_svg.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/pictures/chart_svg.hpp"
#include "core/pictures/gantt_svg.hpp"
#include "core/pictures/graph_svg.hpp"
#include "core/pictures/levels_view.hpp"
#include "core/pictures/mesh_view.hpp"
#include "core/pictures/palette.hpp"
#include "core/pictures/source_svg.hpp"
#include "core/pictures/table_svg.hpp"
#include "core/pictures/unit_graph_svg.hpp"
#include "core/pictures/waterfall_svg.hpp"

namespace takt {

namespace {

using ViewJson = nlohmann::ordered_json;

constexpr double page_margin = 16, line_height = 18;

/// Places the drawings below each other.
Drawing stacked(const std::vector<std::pair<std::string, Drawing>>& drawings) {
  double width = 0;
  for (const auto& [name, drawing] : drawings) width = std::max(width, drawing.width);
  Picture picture(width);
  double y = 0;
  for (const auto& [name, drawing] : drawings) {
    if (!name.empty()) picture.text(4, y += 16, "start", name, "ink", " font-weight=\"600\"");
    picture.place(0, y + 4, drawing);
    y += drawing.height + 12;
  }
  return std::move(picture).drawn(y);
}

/// Returns the number of computing ranks over time.
ViewJson active_ranks(const ViewJson& gantt) {
  std::vector<std::pair<double, int>> changes;
  std::size_t at = 0;
  double least = 0;
  for (const ViewJson& boxes : gantt["rows"]["boxes"]) {
    double time = 0;
    for (auto count = boxes.get<std::size_t>(); count > 0; --count, ++at) {
      const double start = time + gantt["box"]["gap"][at].get<double>();
      time = start + gantt["box"]["len"][at].get<double>();
      if (gantt["box"]["kind"][at] != 0) continue;
      changes.emplace_back(start, 1);
      changes.emplace_back(time, -1);
    }
  }
  std::ranges::sort(changes);
  if (!changes.empty()) least = changes.front().first;
  ViewJson x = ViewJson::array(), y = ViewJson::array();
  int count = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    count += changes[i].second;
    if (i + 1 < changes.size() && changes[i + 1].first == changes[i].first) continue;
    x.push_back(changes[i].first - least);
    y.push_back(count);
  }
  return {{"x", "ns"},
          {"y", "ranks that compute"},
          {"series", {{{"name", "computing"}, {"style", "steps"}, {"x", x}, {"y", y}}}}};
}

Drawing drawing_of(const ViewJson& view) {
  const std::string kind = view["kind"].get<std::string>();
  if (kind == "gantt") return svg_of_gantt(view);
  if (kind == "graph") return svg_of_graph(view);
  if (kind == "levels") return svg_of_levels(view);
  if (kind == "chart") return svg_of_chart(view);
  if (kind == "waterfall") return svg_of_waterfall(view);
  if (kind == "table") return svg_of_table(view);
  if (kind == "partitions") return svg_of_partitions(view);
  if (kind == "source") return svg_of_source(view);
  if (kind == "mesh") return svg_of_mesh(view);
  if (kind == "replay")
    return stacked({{"Tasks", svg_of_graph(view["graph"])},
                    {"Ranks over time", svg_of_gantt(view["gantt"])},
                    {"Number of computing ranks", svg_of_chart(active_ranks(view["gantt"]))}});
  if (kind == "units") {
    std::vector<std::pair<std::string, Drawing>> runs;
    for (const ViewJson& run : view["runs"])
      runs.emplace_back(run["name"].get<std::string>(), svg_of_units(run));
    return stacked(runs);
  }
  throw WorkError(fmt::format("no picture for a view of kind '{}'", kind));
}

/// Draws a text in lines of the page's width.
double say(Picture& picture, double y, const std::string& text, std::string_view colour) {
  if (text.empty()) return y;
  for (const std::string& line : lines_in(text, picture.width() - 2 * page_margin))
    picture.text(page_margin, y += line_height, "start", line, colour);
  return y;
}

double draw_facts(Picture& picture, double y, const std::vector<PageFact>& facts) {
  double x = page_margin;
  y += line_height + 4;
  for (const PageFact& fact : facts) {
    // Bold characters are wider.
    constexpr double bold = 1.12;
    const double own = width_of(fact.name) + 10, width = own + bold * width_of(fact.value) + 24;
    if (x > page_margin && x + width > picture.width()) {
      x = page_margin;
      y += line_height;
    }
    picture.text(x, y, "start", fact.name, "muted");
    // A note longer than a line continues in the next ones.
    const double room = std::max(120.0, (picture.width() - page_margin - x - own) / bold);
    y -= line_height;
    for (const std::string& line : lines_in(fact.value, room))
      picture.text(x + own, y += line_height, "start", line, "ink", " font-weight=\"600\"");
    x += width;
  }
  return y;
}

}  // namespace

std::string to_svg(const Page& page) {
  std::vector<ViewJson> views;
  for (const View& view : page.views) views.push_back(ViewJson::parse(view));
  if (views.size() == 1) return picture_file(svg_of(drawing_of(views.front())));
  std::vector<Drawing> drawings;
  double width = chart_width;
  for (const ViewJson& view : views) width = std::max(width, drawings.emplace_back(drawing_of(view)).width);
  Picture picture(width + 2 * page_margin);
  picture.text(page_margin, 28, "start", page.title, "ink", " font-size=\"18\" font-weight=\"600\"");
  double y = say(picture, 30, page.says, "muted");
  y = draw_facts(picture, y, page.facts) + 12;
  for (std::size_t i = 0; i < views.size(); ++i) {
    picture.text(page_margin, y += 24, "start", views[i]["name"].get<std::string>(), "ink",
                 " font-size=\"15\" font-weight=\"600\"");
    y = say(picture, y, views[i]["says"].get<std::string>(), "muted") + 8;
    picture.place(page_margin, y, drawings[i]);
    y += drawings[i].height + 12;
  }
  return picture_file(std::move(picture).finished(y));
}

}  // namespace takt
