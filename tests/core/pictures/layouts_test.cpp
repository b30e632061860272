/// Tests of the positions of nodes and edges.

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/graphs/generators.hpp"
#include "core/network.hpp"
#include "core/pictures/graph_drawing.hpp"
#include "core/pictures/graph_svg.hpp"
#include "core/pictures/layered_layout.hpp"
#include "core/pictures/network_layout.hpp"

namespace takt {
namespace {

using ::testing::HasSubstr;

LayeredGraph layered(const TaskGraph& graph) {
  LayeredGraph result;
  for (const TaskId task : graph.tasks())
    result.widths.push_back(20.0 + static_cast<double>(7 * (task.index() % 5)));
  for (const EdgeId edge : graph.edges())
    result.edges.emplace_back(graph.edge(edge).from.index(), graph.edge(edge).to.index());
  return result;
}

/// Counts crossings of all pairs of edge pieces between the same two layers, one by one.
std::uint64_t crossings_one_by_one(const LayeredGraph& graph, const LayeredLayout& layout) {
  std::vector<std::pair<PicturePoint, PicturePoint>> pieces;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    std::vector<PicturePoint> points{layout.nodes[graph.edges[e].first]};
    for (const PicturePoint& bend : layout.bends_of(e)) points.push_back(bend);
    points.push_back(layout.nodes[graph.edges[e].second]);
    for (std::size_t i = 0; i + 1 < points.size(); ++i) pieces.emplace_back(points[i], points[i + 1]);
  }
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      count += pieces[i].first.y == pieces[j].first.y &&
               (pieces[i].first.x - pieces[j].first.x) * (pieces[i].second.x - pieces[j].second.x) < 0;
  return count;
}

constexpr const char* graphs[] = {"layered:tasks=60,seed=1",
                                  "layered:tasks=120,seed=2,jump=4",
                                  "fft:depth=4",
                                  "gauss:size=7",
                                  "send_tree:depth=4",
                                  "fork_join",
                                  "wave:depth=4,width=5",
                                  "chain:depth=3"};

TEST(LayeredLayout, goes_downwards_and_keeps_its_distances) {
  for (const char* text : graphs) {
    const LayeredGraph graph = layered(generate(text));
    const LayeredLayout layout = lay_out(graph);
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      double y = layout.nodes[graph.edges[e].first].y;
      for (const PicturePoint& bend : layout.bends_of(e)) {
        EXPECT_DOUBLE_EQ(bend.y, y + LayerDistances{}.down) << text;
        y = bend.y;
      }
      EXPECT_DOUBLE_EQ(layout.nodes[graph.edges[e].second].y, y + LayerDistances{}.down) << text;
    }
    for (std::size_t a = 0; a < graph.widths.size(); ++a) {
      EXPECT_GE(layout.nodes[a].x - graph.widths[a] / 2, -1e-6) << text;
      EXPECT_LE(layout.nodes[a].x + graph.widths[a] / 2, layout.width + 1e-6) << text;
      for (std::size_t b = 0; b < a; ++b)
        if (layout.layers[a] == layout.layers[b]) {
          EXPECT_GE(std::abs(layout.nodes[a].x - layout.nodes[b].x) + 1e-6,
                    (graph.widths[a] + graph.widths[b]) / 2 + LayerDistances{}.across)
              << text;
        }
    }
  }
}

TEST(LayeredLayout, counts_crossings_like_brute_force) {
  for (const char* text : graphs) {
    const LayeredGraph graph = layered(generate(text));
    const LayeredLayout layout = lay_out(graph);
    EXPECT_EQ(crossings(graph, layout), crossings_one_by_one(graph, layout)) << text;
  }
}

TEST(LayeredLayout, draws_planar_layers_without_crossings) {
  for (const char* text :
       {"send_tree:depth=5", "receive_tree:depth=5", "chain:depth=9", "fork_join", "diamond"}) {
    const LayeredGraph graph = layered(generate(text));
    EXPECT_EQ(crossings(graph, lay_out(graph)), 0U) << text;
  }
  // Two copies of K(2,2) cross once each, for any order.
  const LayeredGraph pairs = layered(generate("fft:depth=1"));
  EXPECT_EQ(crossings(pairs, lay_out(pairs)), 1U);
}

TEST(LayeredLayout, is_deterministic_and_accepts_an_empty_graph) {
  const LayeredGraph graph = layered(generate(graphs[1]));
  EXPECT_EQ(lay_out(graph).nodes, lay_out(graph).nodes);
  EXPECT_TRUE(lay_out(LayeredGraph{}).nodes.empty());
  const LayeredLayout alone = lay_out(LayeredGraph{.widths = {10, 20, 30}, .edges = {}});
  EXPECT_EQ(alone.nodes.size(), 3U);
  EXPECT_DOUBLE_EQ(alone.width, 60 + 2 * LayerDistances{}.across);
}

TEST(GraphDrawing, marks_a_path_as_long_as_the_critical_one) {
  for (const char* text :
       {"layered:tasks=60,seed=1,cost=1..9,data=1..9", "gauss:size=7,cost=2..5,data=0..9"}) {
    const TaskGraph graph = generate(text);
    const GraphDrawing drawing = draw(graph);
    std::int64_t length = 0;
    for (const TaskId task : graph.tasks())
      if (drawing.critical_tasks[task.index()]) length += graph.task(task).work.count();
    for (const EdgeId edge : graph.edges()) {
      if (!drawing.critical_edges[edge.index()]) continue;
      length += static_cast<std::int64_t>(graph.edge(edge).size.count);
      EXPECT_TRUE(drawing.critical_tasks[graph.edge(edge).from.index()]);
      EXPECT_TRUE(drawing.critical_tasks[graph.edge(edge).to.index()]);
    }
    // Finds the longest path by trying all of them.
    std::vector<std::int64_t> longest(graph.task_count());
    for (const TaskId task : graph.topological_order()) {
      for (const EdgeId id : graph.in_edges(task)) {
        const Edge edge = graph.edge(id);
        longest[task.index()] = std::max(
            longest[task.index()], longest[edge.from.index()] + static_cast<std::int64_t>(edge.size.count));
      }
      longest[task.index()] += graph.task(task).work.count();
    }
    EXPECT_EQ(length, *std::ranges::max_element(longest)) << text;
  }
}

TEST(GraphSvg, shows_every_task_and_edge_and_their_processors) {
  const TaskGraph graph = generate("gauss:size=5,cost=1..9,data=1..9");
  const auto count = [](const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  const std::string plain = graph_to_svg(graph);
  EXPECT_EQ(count(plain, "<g><title>"), graph.task_count() + graph.edge_count());
  EXPECT_EQ(count(plain, ": work "), graph.task_count());
  TaskProcessors processors;
  for (const TaskId task : graph.tasks()) processors.push_back({ProcessorId(task.index() % 3)});
  const std::string placed = graph_to_svg(graph, processors);
  EXPECT_EQ(count(placed, ", on P1<"), (graph.task_count() + 1) / 3);
  EXPECT_THAT(placed, HasSubstr(">P2</text>"));
}

TEST(GraphSvg, shows_all_processors_of_a_group_and_works_and_sizes_of_0) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({.name = "a", .work = Time(7)}),
               b = builder.add_task({.name = "b", .work = Time(0)}),
               c = builder.add_task({.name = "c", .work = Time(2)});
  builder.add_edge(a, b, Bytes{9});
  builder.add_edge(b, c, Bytes{0});
  const TaskGraph graph = std::move(builder).build();
  // In a group, as a copy elsewhere, and nowhere.
  Schedule schedule("groups", 6);
  for (const std::size_t p : {1U, 2U, 3U, 5U}) schedule.add_compute(ProcessorId(p), a, Time{0}, Time{7});
  schedule.add_compute(ProcessorId(0), b, Time{7}, Time{7});
  schedule.add_compute(ProcessorId(4), b, Time{7}, Time{7});
  const TaskProcessors processors = processors_of(schedule, graph);
  EXPECT_EQ(processors[a.index()],
            (std::vector{ProcessorId(1), ProcessorId(2), ProcessorId(3), ProcessorId(5)}));
  EXPECT_TRUE(processors[c.index()].empty());
  for (const View& view : {graph_view(graph, processors), interaction_view(graph, processors)}) {
    const auto json = nlohmann::ordered_json::parse(view);
    EXPECT_EQ(json["nodes"]["group"],
              nlohmann::ordered_json({{1, 2, 3, 5}, {0, 4}, nlohmann::ordered_json::array()}));
    EXPECT_EQ(json["nodes"]["processor"][c.index()], -1);
    const std::string text = svg_of_graph(json).body;
    EXPECT_THAT(text, HasSubstr("<title>a: work 7, on P1-P3, P5</title>"));
    EXPECT_THAT(text, HasSubstr(">7 P1-P3, P5</text>"));
    EXPECT_THAT(text, HasSubstr(">0 P0, P4</text>"));
    EXPECT_THAT(text, HasSubstr(": 0</title>")) << "the size of the second edge";
    // A stripe for each of the six places, and a legend of seven colours below.
    std::size_t stripes = 0;
    for (std::size_t at = text.find("class=\"f-p"); at != std::string::npos;
         at = text.find("class=\"f-p", at + 1))
      ++stripes;
    EXPECT_EQ(stripes, 6U + 6U);
  }
}

TEST(ForceLayout, keeps_lines_off_boxes_and_parts_together_and_is_wide) {
  std::size_t lines = 0, covered = 0;
  for (const char* const form : {"fft:depth=3,cost=5", "gauss:size=6,cost=5", "chain:depth=8",
                                 "layered:tasks=30,seed=3", "fork_join:width=8"}) {
    const auto view = nlohmann::ordered_json::parse(interaction_view(generate(form)));
    const auto x = view["nodes"]["x"].get<std::vector<double>>(),
               y = view["nodes"]["y"].get<std::vector<double>>(),
               width = view["nodes"]["width"].get<std::vector<double>>();
    EXPECT_GE(std::ranges::max(x) - std::ranges::min(x), 0.7 * (std::ranges::max(y) - std::ranges::min(y)))
        << form << " is not upright";
    for (std::size_t edge = 0; edge < view["edges"]["from"].size(); ++edge) {
      const auto a = view["edges"]["from"][edge].get<std::size_t>(),
                 b = view["edges"]["to"][edge].get<std::size_t>();
      ++lines;
      bool is_covered = false;
      for (int step = 1; step < 100; ++step)
        for (std::size_t node = 0; node < x.size(); ++node) {
          const double at_x = x[a] + (x[b] - x[a]) * step / 100, at_y = y[a] + (y[b] - y[a]) * step / 100;
          is_covered |= node != a && node != b && std::abs(at_x - x[node]) < width[node] / 2 &&
                        std::abs(at_y - y[node]) < 17;
        }
      covered += is_covered ? 1 : 0;
    }
  }
  EXPECT_LE(10 * covered, lines) << covered << " of " << lines << " lines go below a box that is not theirs";
}

TEST(ForceLayout, keeps_unconnected_parts_near_each_other) {
  // Five pairs: without attraction they drift as far as the first steps push them.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < 5; ++i) pairs.emplace_back(2 * i, 2 * i + 1);
  const NetworkLayout layout = lay_out_by_forces(10, pairs, 100);
  EXPECT_LT(std::max(layout.width, layout.height), 800);
}

TEST(ForceLayout, scales_down_until_two_boxes_have_the_least_distance) {
  // A ring of nine around an unconnected box, and a line across it, clear of the box.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs{{1, 4}};
  for (std::uint32_t i = 0; i < 9; ++i) pairs.emplace_back(i, (i + 1) % 9);
  NetworkLayout layout{.shape = "forces"};
  for (int i = 0; i < 9; ++i) layout.nodes.push_back({500 * std::cos(0.7 * i), 500 * std::sin(0.7 * i)});
  layout.nodes.push_back({-200, -100});
  const std::vector<double> widths(10, 80);
  const NetworkLayout before = layout;
  draw_together(layout, widths, 34, pairs, 16);
  const double factor = (layout.nodes[1].x - layout.nodes[0].x) / (before.nodes[1].x - before.nodes[0].x);
  EXPECT_LT(factor, 1);
  // Computes the distances of boxes, and of boxes and other nodes' lines, point by point.
  double nearest = std::numeric_limits<double>::infinity();
  const auto apart = [&](PicturePoint a, double wide, double high, PicturePoint b) {
    return std::max(std::abs(a.x - b.x) - wide, std::abs(a.y - b.y) - high);
  };
  for (std::size_t a = 0; a < 10; ++a) {
    EXPECT_NEAR(layout.nodes[a].x - layout.nodes[0].x, factor * (before.nodes[a].x - before.nodes[0].x),
                1e-6);
    EXPECT_NEAR(layout.nodes[a].y - layout.nodes[0].y, factor * (before.nodes[a].y - before.nodes[0].y),
                1e-6);
    for (std::size_t b = 0; b < a; ++b)
      nearest = std::min(nearest, apart(layout.nodes[a], 80, 34, layout.nodes[b]));
    for (const auto& [from, to] : pairs)
      for (int step = 1; step < 200 && a != from && a != to; ++step) {
        const PicturePoint at{
            layout.nodes[from].x + (layout.nodes[to].x - layout.nodes[from].x) * step / 200,
            layout.nodes[from].y + (layout.nodes[to].y - layout.nodes[from].y) * step / 200};
        // A line may be at half of the distance.
        EXPECT_GT(apart(layout.nodes[a], 40, 17, at), 0) << a << " below " << from << '-' << to;
      }
  }
  EXPECT_GE(nearest, 16 - 1e-6);
  // A second call changes nothing: no gain is left, and close nodes stay.
  const NetworkLayout once = layout;
  draw_together(layout, widths, 34, pairs, 16);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(layout.nodes[i].x, once.nodes[i].x, 1e-6);
  NetworkLayout close = once;
  draw_together(close, widths, 34, pairs, 60);
  EXPECT_EQ(close.nodes, once.nodes);
}

TEST(ForceLayout, has_no_overlapping_boxes) {
  // Tasks on many processors, densely packed.
  const auto view = nlohmann::ordered_json::parse(interaction_view(generate("fft:depth=5,cost=5")));
  const auto x = view["nodes"]["x"].get<std::vector<double>>(),
             y = view["nodes"]["y"].get<std::vector<double>>(),
             width = view["nodes"]["width"].get<std::vector<double>>();
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_GT(std::max(std::abs(x[a] - x[b]) - (width[a] + width[b]) / 2, std::abs(y[a] - y[b]) - 34), 0)
          << a << " and " << b;
}

TEST(NetworkLayout, routes_links_around_the_boxes_of_other_nodes) {
  constexpr double width = 46, height = 34;
  for (const char* const text : {"torus:4x5", "hypercube:4", "mesh:3x4", "ring:8"}) {
    const Network network = parse_network(text);
    const NetworkLayout layout = lay_out(network);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
    for (const Link& link : network.links)
      ends.emplace_back(static_cast<std::uint32_t>(link.from.index()),
                        static_cast<std::uint32_t>(link.to.index()));
    const auto arcs = arcs_around_boxes(layout, ends, width, height);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const PicturePoint a = layout.nodes[ends[i].first], b = layout.nodes[ends[i].second],
                         middle{(a.x + b.x) / 2, (a.y + b.y) / 2}, top = arcs[i].value_or(middle);
      // Neither lines nor arcs between nodes in one row or column pass below a box.
      if (a.x != b.x && a.y != b.y) continue;
      for (int step = 1; step < 100; ++step) {
        const double share = step / 100.0, high = 4 * share * (1 - share);
        const PicturePoint at{a.x + share * (b.x - a.x) + high * (top.x - middle.x),
                              a.y + share * (b.y - a.y) + high * (top.y - middle.y)};
        for (std::size_t node = 0; node < layout.nodes.size(); ++node) {
          if (node == ends[i].first || node == ends[i].second) continue;
          EXPECT_FALSE(std::abs(at.x - layout.nodes[node].x) < width / 2 &&
                       std::abs(at.y - layout.nodes[node].y) < height / 2)
              << text << ": " << ends[i].first << " -> " << ends[i].second << " below " << node;
        }
      }
    }
    const bool has_arcs = std::ranges::any_of(arcs, [](const auto& each) { return each.has_value(); });
    EXPECT_EQ(has_arcs, std::string_view(text) != "mesh:3x4" && std::string_view(text) != "ring:8");
  }
}

TEST(NetworkLayout, recognises_the_usual_shapes) {
  const std::pair<const char*, const char*> shapes[] = {
      {"ring:8", "ring"},           {"mesh:3x4", "mesh"}, {"torus:4x5", "torus"},
      {"hypercube:4", "hypercube"}, {"star:6", "star"},   {"fat_tree:3x2", "tree"},
      {"complete:6", "complete"},   {"switch:5", "star"}, {"mesh:1x5", "mesh"}};
  for (const auto& [text, shape] : shapes) {
    const NetworkLayout layout = lay_out(parse_network(text));
    EXPECT_EQ(layout.shape, shape) << text;
  }
  Network odd = parse_network("ring:8");
  odd.connect(NodeId(0), NodeId(3), 0, 1);
  EXPECT_EQ(lay_out(odd).shape, "forces");
}

TEST(NetworkLayout, has_no_coincident_nodes) {
  Network odd = parse_network("mesh:4x4");
  odd.connect(NodeId(0), NodeId(15), 0, 1);
  std::vector<Network> networks{odd};
  for (const char* text : {"ring:3", "mesh:3x4", "hypercube:6", "star:9", "fat_tree:2x4", "complete:7"})
    networks.push_back(parse_network(text));
  for (const Network& network : networks) {
    const NetworkLayout layout = lay_out(network);
    ASSERT_EQ(layout.nodes.size(), network.node_count);
    for (std::size_t a = 0; a < layout.nodes.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_GT(std::hypot(layout.nodes[a].x - layout.nodes[b].x, layout.nodes[a].y - layout.nodes[b].y),
                  20)
            << layout.shape << ' ' << a << ' ' << b;
    EXPECT_EQ(lay_out(network).nodes, layout.nodes);
  }
}

}  // namespace
}  // namespace takt
