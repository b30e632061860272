#include "core/pictures/graph_svg.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/graph_drawing.hpp"
#include "core/pictures/palette.hpp"

namespace takt {

namespace {

using GraphJson = nlohmann::ordered_json;

constexpr double graph_margin = 20;
/// With more edges their sizes would be illegible.
constexpr std::size_t most_sizes = 120;

std::vector<std::string> labels_of(const GraphJson& names) {
  std::vector<std::string> labels;
  for (const GraphJson& name : names) labels.emplace_back(label_of(name.get_ref<const std::string&>()));
  return labels;
}

class GraphPicture {
 public:
  explicit GraphPicture(const GraphJson& view)
      : view_(view),
        nodes_(view["nodes"]),
        edges_(view["edges"]),
        labels_(labels_of(nodes_["name"])),
        common_(common_beginning(labels_)),
        what_(view["what"].get<std::string>()),
        is_in_ticks_(view["unit"] != "ns"),
        is_complete_(view.value("complete", false)),
        picture_(measure_nodes()) {}

  Drawing draw() && {
    if (what_ == "network")
      draw_connections();
    else
      for (std::size_t edge = 0; edge < edges_["from"].size(); ++edge) draw_edge(edge);
    for (std::size_t node = 0; node < places_.size(); ++node) draw_node(node);
    return std::move(picture_).drawn(draw_legend());
  }

 private:
  [[nodiscard]] double number(const GraphJson& columns, const char* name, std::size_t i) const {
    return columns[name][i].get<double>();
  }

  /// Positions nodes within a margin; returns the width of the picture.
  double measure_nodes() {
    const std::size_t count = nodes_["name"].size();
    constexpr double half = GraphDrawing::node_height / 2;
    double left = 0, right = 60, high = 0, low = 40;
    for (std::size_t node = 0; node < count; ++node) {
      const PicturePoint at{number(nodes_, "x", node), number(nodes_, "y", node)};
      const double wide = number(nodes_, "width", node) / 2;
      left = node == 0 ? at.x - wide : std::min(left, at.x - wide);
      right = node == 0 ? at.x + wide : std::max(right, at.x + wide);
      high = node == 0 ? at.y - half : std::min(high, at.y - half);
      low = node == 0 ? at.y + half : std::max(low, at.y + half);
      places_.push_back(at);
    }
    // For a network, the tops of arcs.
    for (std::size_t bend = 0; what_ == "network" && bend + 1 < view_["bends"].size(); bend += 2) {
      const PicturePoint at{view_["bends"][bend].get<double>(), view_["bends"][bend + 1].get<double>()};
      left = std::min(left, at.x);
      right = std::max(right, at.x);
      high = std::min(high, at.y);
      low = std::max(low, at.y);
    }
    shift_ = {graph_margin - left, graph_margin - high};
    for (PicturePoint& each : places_) each = {each.x + shift_.x, each.y + shift_.y};
    bottom_ = low - high + 2 * graph_margin;
    first_bend_.push_back(0);
    for (const GraphJson& bends : edges_["bends"])
      first_bend_.push_back(first_bend_.back() + bends.get<std::size_t>());
    for (const GraphJson& work : nodes_["work"]) most_work_ = std::max(most_work_, work.get<double>());
    for (const GraphJson& bytes : edges_["bytes"]) most_bytes_ = std::max(most_bytes_, bytes.get<double>());
    return right - left + 2 * graph_margin;
  }

  [[nodiscard]] std::string name(std::size_t node) const { return nodes_["name"][node].get<std::string>(); }

  [[nodiscard]] std::string size_text(double bytes) const {
    return is_in_ticks_ ? number_text(bytes) : bytes_text(bytes);
  }
  [[nodiscard]] std::string work_text(std::size_t node) const {
    const double work = number(nodes_, "work", node);
    return is_in_ticks_ ? number_text(work) : time_text(work);
  }
  /// Returns the processors of a task; none if unknown.
  [[nodiscard]] std::vector<std::size_t> group(std::size_t node) const {
    if (nodes_.contains("group")) return nodes_["group"][node].get<std::vector<std::size_t>>();
    const auto processor = nodes_["processor"][node].get<std::int64_t>();
    return processor < 0 ? std::vector<std::size_t>{} : std::vector{static_cast<std::size_t>(processor)};
  }

  void draw_edge(std::size_t edge) {
    const auto from = edges_["from"][edge].get<std::size_t>(), to = edges_["to"][edge].get<std::size_t>();
    const bool is_critical = edges_["critical"][edge] == 1, is_directed = what_ == "tasks";
    const std::string bytes = size_text(number(edges_, "bytes", edge));
    const std::string_view colour = is_critical ? "ink" : "muted";
    if (!is_directed) {
      const double share = most_bytes_ > 0 ? number(edges_, "bytes", edge) / most_bytes_ : 0;
      if (what_ == "interactions")
        picture_.begin_group(fmt::format("{} - {}: {}", name(from), name(to), bytes));
      picture_.line(places_[from].x, places_[from].y, places_[to].x, places_[to].y, colour,
                    fmt::format(" stroke-width=\"{:.1f}\" stroke-opacity=\"0.7\"", 1 + 5 * share));
      if (what_ == "interactions") picture_.end_group();
      return;
    }
    PicturePoint last = places_[from];
    last.y += GraphDrawing::node_height / 2;
    const PicturePoint begin = last;
    PicturePoint second{};
    std::string commands = fmt::format("M{:.1f} {:.1f}", last.x, last.y);
    bool is_first = true;
    const auto curve_to = [&](PicturePoint next) {
      const double half = (last.y + next.y) / 2;
      commands += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", last.x, half, next.x, half,
                              next.x, next.y);
      last = next;
      if (is_first) second = next;
      is_first = false;
    };
    for (std::size_t bend = first_bend_[edge]; bend < first_bend_[edge + 1]; ++bend)
      curve_to({view_["bends"][2 * bend].get<double>() + shift_.x,
                view_["bends"][2 * bend + 1].get<double>() + shift_.y});
    PicturePoint end = places_[to];
    end.y -= GraphDrawing::node_height / 2;
    curve_to(end);
    picture_.begin_group(fmt::format("{} -> {}: {}", name(from), name(to), bytes));
    picture_.path(commands, colour, is_critical ? " stroke-width=\"2.5\"" : " stroke-opacity=\"0.7\"");
    // The head of the arrow.
    picture_.path(fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}", end.x - 3.5, end.y - 7, end.x,
                              end.y, end.x + 3.5, end.y - 7),
                  colour);
    // A size of 0 is informative if other sizes are not 0.
    if (edges_["from"].size() <= most_sizes && most_bytes_ > 0) draw_size(begin, second, bytes);
    picture_.end_group();
  }

  /// Draws the size a third of the way down, or on the first piece of an edge over several layers, since
  /// edges cross in the middle. Shifts it if another size is in the way, and omits it if it does not fit.
  void draw_size(PicturePoint begin, PicturePoint second, const std::string& bytes) {
    constexpr double letter = 7, height = 11;
    const double width = letter * static_cast<double>(bytes.size());
    for (const auto& [across, down] : {std::pair{0.28, 0.38}, {0.14, 0.26}, {0.42, 0.5}}) {
      const PicturePoint place{begin.x + across * (second.x - begin.x) + 3,
                               begin.y + down * (second.y - begin.y) + 4};
      if (std::ranges::any_of(sizes_, [&](const auto& size) {
            return std::abs(size.first.y - place.y) < height && place.x < size.first.x + size.second &&
                   size.first.x < place.x + width;
          }))
        continue;
      sizes_.emplace_back(place, width);
      picture_.text(place.x, place.y, "start", bytes, "muted", " font-size=\"11\"");
      return;
    }
  }

  /// Both links between two nodes, as one line.
  struct Connection {
    /// The first one.
    std::size_t edge = 0;
    double load = -1;
    std::string says;
  };

  [[nodiscard]] bool has_loads() const {
    return std::ranges::any_of(edges_["load"], [](const GraphJson& each) { return each.get<double>() >= 0; });
  }

  void draw_connections() {
    std::map<std::pair<std::size_t, std::size_t>, Connection> connections;
    for (std::size_t edge = 0; edge < edges_["from"].size(); ++edge) {
      const auto from = edges_["from"][edge].get<std::size_t>(), to = edges_["to"][edge].get<std::size_t>();
      Connection& each =
          connections.try_emplace(std::minmax(from, to), Connection{.edge = edge}).first->second;
      const double load = number(edges_, "load", edge);
      each.load = std::max(each.load, load);
      each.says += fmt::format("{}{} -> {}: latency {}, {} ns a byte{}", each.says.empty() ? "" : "; ",
                               name(from), name(to), time_text(number(edges_, "fixed", edge)),
                               number_text(number(edges_, "bytes", edge)),
                               load < 0 ? "" : fmt::format(", busy {:.0f} %", 100 * load));
    }
    constexpr std::size_t most_loads = 60;
    constexpr double thin = 1.2, thick = 8;
    for (const auto& [ends, each] : connections) {
      if (is_complete_ && each.load <= 0) continue;
      const PicturePoint &a = places_[ends.first], &b = places_[ends.second];
      const double width = each.load > 0 ? thin + (thick - thin) * std::min(each.load, 1.0) : thin;
      picture_.begin_group(each.says);
      PicturePoint middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
      const std::string colour = each.load > 0 ? "heat" : "muted",
                        stroke = fmt::format(" stroke-width=\"{:.1f}\"", width);
      if (const std::size_t bend = first_bend_[each.edge]; bend < first_bend_[each.edge + 1]) {
        const PicturePoint top{view_["bends"][2 * bend].get<double>() + shift_.x,
                               view_["bends"][2 * bend + 1].get<double>() + shift_.y};
        // The control point of a parabola is twice as far away as its top.
        picture_.path(fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", a.x, a.y,
                                  2 * top.x - middle.x, 2 * top.y - middle.y, b.x, b.y),
                      colour, stroke);
        middle = top;
      } else {
        picture_.line(a.x, a.y, b.x, b.y, colour, stroke);
      }
      if (each.load > 0 && connections.size() <= most_loads)
        picture_.text(middle.x + (a.x == b.x ? 16 : 0), middle.y - 5, "middle",
                      fmt::format("{:.0f} %", 100 * each.load), "ink", " font-size=\"11\"");
      picture_.end_group();
    }
    if (is_complete_ && !places_.empty()) {
      double x = 0, y = 0;
      for (const PicturePoint& each : places_) {
        x += each.x / static_cast<double>(places_.size());
        y += each.y / static_cast<double>(places_.size());
      }
      picture_.text(x, y - 4, "middle", "complete: all nodes are linked");
      picture_.text(
          x, y + 14, "middle",
          fmt::format("{} links{}", edges_["from"].size(), has_loads() ? "; only busy links are drawn" : ""),
          "muted");
    }
  }

  void draw_node(std::size_t node) {
    const PicturePoint at = places_[node];
    const double width = number(nodes_, "width", node), height = GraphDrawing::node_height;
    const double left = at.x - width / 2, top = at.y - height / 2;
    const std::vector<std::size_t> processors = group(node);
    const std::string where = ranges_text(processors);
    const bool is_critical = nodes_["critical"][node] == 1, is_task = what_ != "network";
    std::string title = is_task ? name(node) + ": work " + work_text(node) : "node " + name(node);
    if (!where.empty()) title += ", on " + where;
    picture_.begin_group(title);
    picture_.box(left, top, width, height, "card");
    // A stripe for each processor.
    const double stripe = width / static_cast<double>(std::max<std::size_t>(processors.size(), 1));
    for (std::size_t i = 0; i < processors.size(); ++i)
      picture_.box(left + stripe * static_cast<double>(i), top, stripe, height,
                   pale_colour_of(processors[i]));
    picture_.path(
        fmt::format("M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z", left, top, left + width, top + height),
        is_critical ? "ink" : "muted", is_critical ? " stroke-width=\"2.5\"" : "");
    const bool has_work = is_task && most_work_ > 0, has_second = has_work || !where.empty();
    picture_.text(at.x, at.y + (has_second ? -2 : 4), "middle",
                  shortened_to(labels_[node], width - 4, common_));
    if (has_second) {
      const std::string second =
          (has_work ? work_text(node) : "") + (has_work && !where.empty() ? " " : "") + where;
      // In full ink, since boxes have colours.
      picture_.text(at.x, at.y + 13, "middle", shortened_to(second, width), "ink", " font-size=\"11\"");
    }
    picture_.end_group();
  }

  /// Returns its lower end.
  double draw_legend() {
    std::size_t processors = 0;
    for (std::size_t node = 0; node < places_.size(); ++node)
      for (const std::size_t each : group(node)) processors = std::max(processors, each + 1);
    double end = bottom_ - graph_margin / 2, x = 4;
    for (std::size_t i = 0; i < std::min(processors, pale_colours); ++i, x += 46) {
      picture_.box(x, end - 4, 14, 11, pale_colour_of(i));
      picture_.text(x + 18, end + 5, "start", fmt::format("P{}", i), "muted");
    }
    if (processors > 0) end += Picture::row_height;
    const bool has_critical =
        std::ranges::any_of(nodes_["critical"], [](const GraphJson& each) { return each == 1; });
    const char* const says =
        what_ == "network" ? has_loads() ? "The width of a link shows its load." : ""
        : what_ == "interactions"
            ? edges_["from"].empty() ? "" : "The width of a line shows the exchanged data."
        : has_critical ? "The critical path has thick lines."
                       : "";
    if (*says != '\0' && width_of(says) < picture_.width()) {
      picture_.text(4, end + 4, "start", says, "muted");
      end += Picture::row_height;
    }
    return end + 4;
  }

  const GraphJson& view_;
  const GraphJson& nodes_;
  const GraphJson& edges_;
  /// Positions and widths of the edges' sizes.
  std::vector<std::pair<PicturePoint, double>> sizes_;
  /// Labels of the boxes.
  std::vector<std::string> labels_;
  /// Length of the prefix common to all names.
  std::size_t common_;
  std::string what_;
  bool is_in_ticks_;
  bool is_complete_;
  std::vector<PicturePoint> places_;
  PicturePoint shift_;
  double bottom_ = 0, most_bytes_ = 0, most_work_ = 0;
  std::vector<std::size_t> first_bend_;
  Picture picture_;
};

}  // namespace

Drawing svg_of_graph(const GraphJson& view) {
  return GraphPicture(view).draw();
}

std::string graph_to_svg(const TaskGraph& graph, const TaskProcessors& processors) {
  const std::string_view unit = time_unit(graph);
  const View view =
      graph.is_undirected() ? interaction_view(graph, processors, unit) : graph_view(graph, processors, unit);
  return picture_file(svg_of(svg_of_graph(GraphJson::parse(view))));
}

}  // namespace takt
