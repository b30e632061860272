#include "core/pictures/graph_view.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/graphs/levels.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/graph_drawing.hpp"
#include "core/pictures/network_layout.hpp"
#include "core/pictures/picture.hpp"
#include "core/stream_names.hpp"

namespace takt {

namespace {

using Json = nlohmann::ordered_json;

/// Rounds to tenths of a pixel.
double rounded(double value) {
  return std::round(10 * value) / 10;
}

std::string to_view(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Returns all columns of nodes and edges, empty.
Json empty_graph(std::string_view name, std::string_view says, std::string_view what, std::string_view unit) {
  Json view{{"kind", "graph"}, {"name", name}, {"says", says}, {"what", what}, {"unit", unit}, {"loses", ""}};
  for (const char* column : {"name", "x", "y", "width", "work", "layer", "processor", "critical"})
    view["nodes"][column] = Json::array();
  for (const char* column : {"from", "to", "bytes", "fixed", "critical", "load", "bends"})
    view["edges"][column] = Json::array();
  view["bends"] = Json::array();
  return view;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void add_node(Json& nodes, std::string_view name, PicturePoint at, double width) {
  nodes["name"].push_back(name);
  nodes["x"].push_back(rounded(at.x));
  nodes["y"].push_back(rounded(at.y));
  nodes["width"].push_back(rounded(width));
}

void add_edge(Json& edges, std::size_t from, std::size_t to, const Json& bytes, bool is_critical, double load,
              std::size_t bends, double fixed = 0) {
  edges["from"].push_back(from);
  edges["to"].push_back(to);
  edges["bytes"].push_back(bytes);
  edges["fixed"].push_back(fixed);
  edges["critical"].push_back(is_critical ? 1 : 0);
  edges["load"].push_back(load < 0 ? -1 : std::round(1e4 * load) / 1e4);
  edges["bends"].push_back(bends);
}

bool has_groups(const TaskProcessors& processors) {
  return std::ranges::any_of(processors, [](const auto& each) { return each.size() > 1; });
}

std::vector<std::size_t> numbers_of(const std::vector<ProcessorId>& processors) {
  std::vector<std::size_t> numbers;
  for (const ProcessorId each : processors) numbers.push_back(each.index());
  return numbers;
}

void add_figures(Json& nodes, const TaskGraph& graph, const TaskProcessors& processors,
                 const std::vector<bool>& critical) {
  const std::vector<std::size_t> layers = layers_of(graph);
  if (has_groups(processors)) {
    nodes["group"] = Json::array();
    for (const std::vector<ProcessorId>& each : processors) nodes["group"].push_back(numbers_of(each));
  }
  for (const TaskId task : graph.tasks()) {
    nodes["work"].push_back(graph.task(task).work.count());
    nodes["layer"].push_back(layers[task.index()]);
    if (processors.empty() || processors[task.index()].empty())
      nodes["processor"].push_back(-1);
    else
      nodes["processor"].push_back(processors[task.index()].front().index());
    nodes["critical"].push_back(critical[task.index()] ? 1 : 0);
  }
}

/// Adds the streams of a timetable, in the order in which schedule_view assigns colours.
void add_streams(Json& view, const TaskGraph& graph) {
  std::vector<std::string_view> streams;
  for (const TaskId task : graph.tasks())
    if (const auto parsed = stream_task_name(graph.task(task).name))
      if (std::ranges::find(streams, parsed->stream) == streams.end()) streams.push_back(parsed->stream);
  if (!streams.empty()) view["streams"] = streams;
}

/// Returns the additional width for names of groups, compared with a single processor's.
double width_of_groups(const TaskProcessors& processors) {
  constexpr double widest = 120;
  double width = 0;
  for (const std::vector<ProcessorId>& each : processors)
    if (each.size() > 1) width = std::max(width, width_of(ranges_text(numbers_of(each))) - width_of("P9"));
  return std::min(width, widest);
}

/// Returns the properties that the page's editor cannot write.
std::string lost_by_editing(const TaskGraph& graph) {
  const bool is_more =
      graph.is_moldable() || graph.has_work_table() || graph.datum_count() != graph.edge_count() ||
      std::ranges::any_of(graph.tasks(), [&](TaskId task) { return graph.task(task).stateless; });
  return is_more ? "a saved file has names, works, edges and sizes; it lacks stateless tasks, work tables, "
                   "times on several processors and data shared by edges"
                 : "";
}

}  // namespace

TaskProcessors processors_of(const Schedule& schedule, const TaskGraph& graph) {
  TaskProcessors processors(graph.task_count());
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p]) {
      if (operation.kind != OperationKind::compute) continue;
      std::vector<ProcessorId>& own = processors[operation.subject];
      if (own.empty() || own.back() != ProcessorId(p)) own.emplace_back(p);
    }
  return processors;
}

std::string_view time_unit(const TaskGraph& graph) {
  return graph.largest_work() >= least_in_units ? "ns" : "ticks";
}

View graph_view(const TaskGraph& graph, const TaskProcessors& processors, std::string_view unit) {
  // Wide enough for a time, a processor and the task's activity.
  constexpr double with_times = 122, without = 46;
  const GraphDrawing drawing =
      draw(graph, (unit == "ns" ? with_times : without) + width_of_groups(processors));
  Json view = empty_graph("Task graph",
                          fmt::format("{}, {}, in layers.", counted(graph.task_count(), "task"),
                                      counted(graph.edge_count(), "edge")),
                          "tasks", unit);
  view["loses"] = lost_by_editing(graph);
  add_streams(view, graph);
  for (const TaskId task : graph.tasks())
    add_node(view["nodes"], graph.task(task).name, drawing.layout.nodes[task.index()],
             drawing.widths[task.index()]);
  add_figures(view["nodes"], graph, processors, drawing.critical_tasks);
  for (const EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const auto bends = drawing.layout.bends_of(id.index());
    add_edge(view["edges"], edge.from.index(), edge.to.index(), edge.size.count,
             drawing.critical_edges[id.index()], -1, bends.size());
    for (const PicturePoint& bend : bends) {
      view["bends"].push_back(rounded(bend.x));
      view["bends"].push_back(rounded(bend.y));
    }
  }
  return to_view(view);
}

View interaction_view(const TaskGraph& graph, const TaskProcessors& processors, std::string_view unit) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> exchanged;
  for (const EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const std::size_t a = std::min(edge.from.index(), edge.to.index()),
                      b = std::max(edge.from.index(), edge.to.index());
    exchanged[{static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)}] += edge.size.count;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& [pair, bytes] : exchanged) pairs.push_back(pair);
  // Wide enough for a time with unit and a processor.
  constexpr double letter = 7, with_times = 80, without = 46;
  const double least = (unit == "ns" ? with_times : without) + width_of_groups(processors);
  const auto width_of_task = [&](TaskId task) {
    const std::size_t letters = label_of(graph.task(task).name).size();
    return std::max(least, letter * static_cast<double>(std::min<std::size_t>(20, letters)) + 16);
  };
  // The distance at which adjacent boxes do not overlap.
  double distance = 110;
  for (const TaskId task : graph.tasks()) distance = std::max(distance, width_of_task(task) + 30);
  NetworkLayout layout = lay_out_by_forces(graph.task_count(), pairs, distance);
  std::vector<double> widths;
  for (const TaskId task : graph.tasks()) widths.push_back(width_of_task(task));
  constexpr double height_of_box = 34, gap = 16;
  part_boxes(layout, widths, height_of_box, gap);
  draw_together(layout, widths, height_of_box, pairs, gap);
  Json view =
      empty_graph("Task interaction graph",
                  fmt::format("{}, {} that exchange{} data, unordered.", counted(graph.task_count(), "task"),
                              counted(pairs.size(), "pair"), pairs.size() == 1 ? "s" : ""),
                  "interactions", unit);
  if (graph.is_undirected()) {
    view["undirected"] = true;
    view["loses"] = lost_by_editing(graph);
  }
  add_streams(view, graph);
  for (const TaskId task : graph.tasks())
    add_node(view["nodes"], graph.task(task).name, layout.nodes[task.index()], width_of_task(task));
  add_figures(view["nodes"], graph, processors, std::vector<bool>(graph.task_count()));
  for (const auto& [pair, bytes] : exchanged)
    add_edge(view["edges"], pair.first, pair.second, bytes, false, -1, 0);
  return to_view(view);
}

std::vector<double> link_loads(const Schedule& schedule, const Network& network) {
  const Time repetition = measure(schedule).repetition;
  std::vector<double> loads;
  if (schedule.hops.empty() || repetition == Time{0}) return loads;
  loads.resize(network.links.size());
  for (const Hop& hop : schedule.hops)
    loads[hop.link.index()] +=
        static_cast<double>((hop.end - hop.start).count()) / static_cast<double>(repetition.count());
  return loads;
}

View network_view(const Network& network, std::span<const double> loads) {
  NetworkLayout layout = lay_out(network);
  // In a large complete network, lines would fill a disc; without them nodes can be closer.
  constexpr std::size_t few_nodes = 12;
  const bool is_large_ring = layout.shape == "complete" && network.node_count > few_nodes;
  constexpr double closer = 0.62, width_of_node = 46;
  if (is_large_ring)
    for (PicturePoint& each : layout.nodes) each = {closer * each.x, closer * each.y};
  Json view = empty_graph(
      "Network",
      fmt::format("{}{}, {}{}.", layout.shape == "forces" ? "" : fmt::format("A {} network: ", layout.shape),
                  counted(network.node_count, "node"), counted(network.links.size(), "link"),
                  loads.empty() ? "" : "; a link's load is its busy share of an iteration"),
      "network", "ns");
  view["loses"] =
      "a saved file has a processor per node and the links with their costs; it lacks speeds and the costs "
      "of messages at their ends";
  view["complete"] = is_large_ring;
  for (std::size_t node = 0; node < network.node_count; ++node) {
    add_node(view["nodes"], fmt::format("{}", node), layout.nodes[node], width_of_node);
    view["nodes"]["work"].push_back(0);
    view["nodes"]["layer"].push_back(0);
    view["nodes"]["processor"].push_back(-1);
    view["nodes"]["critical"].push_back(0);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  for (const Link& link : network.links)
    ends.emplace_back(static_cast<std::uint32_t>(link.from.index()),
                      static_cast<std::uint32_t>(link.to.index()));
  const auto arcs = arcs_around_boxes(layout, ends, width_of_node, GraphDrawing::node_height);
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    add_edge(view["edges"], ends[link].first, ends[link].second, network.links[link].per_byte, false,
             loads.empty() ? -1 : loads[link], arcs[link] && !is_large_ring ? 1 : 0,
             network.links[link].latency);
    if (!arcs[link] || is_large_ring) continue;
    view["bends"].push_back(rounded(arcs[link]->x));
    view["bends"].push_back(rounded(arcs[link]->y));
  }
  return to_view(view);
}

}  // namespace takt
