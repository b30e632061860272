#include "core/pictures/network_layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <optional>
#include <unordered_map>

namespace takt {

namespace {

using Ends = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

constexpr double node_distance = 90, picture_margin = 40;

Ends ends_of(const Network& network) {
  Ends ends;
  for (const Link& link : network.links)
    ends.emplace_back(static_cast<std::uint32_t>(link.from.index()),
                      static_cast<std::uint32_t>(link.to.index()));
  std::ranges::sort(ends);
  return ends;
}

/// Shifts everything to begin at the margin.
NetworkLayout framed(std::string_view shape, std::vector<PicturePoint> nodes) {
  NetworkLayout layout{.shape = shape, .nodes = std::move(nodes)};
  if (layout.nodes.empty()) return layout;
  PicturePoint least = layout.nodes.front(), most = least;
  for (const PicturePoint& node : layout.nodes) {
    least = {std::min(least.x, node.x), std::min(least.y, node.y)};
    most = {std::max(most.x, node.x), std::max(most.y, node.y)};
  }
  for (PicturePoint& node : layout.nodes) {
    node.x += picture_margin - least.x;
    node.y += picture_margin - least.y;
  }
  layout.width = most.x - least.x + 2 * picture_margin;
  layout.height = most.y - least.y + 2 * picture_margin;
  return layout;
}

/// The first one on top, then clockwise.
PicturePoint on_circle(std::size_t i, std::size_t count) {
  const double radius =
      std::max(node_distance, node_distance * static_cast<double>(count) / (2 * std::numbers::pi));
  const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
  return {radius * std::sin(angle), -radius * std::cos(angle)};
}

std::vector<PicturePoint> circle(std::size_t count) {
  std::vector<PicturePoint> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back(on_circle(i, count));
  return nodes;
}

std::vector<PicturePoint> star(std::size_t count) {
  std::vector<PicturePoint> nodes{{0, 0}};
  for (std::size_t i = 0; i + 1 < count; ++i) nodes.push_back(on_circle(i, count - 1));
  return nodes;
}

std::vector<PicturePoint> grid(std::size_t rows, std::size_t columns) {
  std::vector<PicturePoint> nodes;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      nodes.push_back({node_distance * static_cast<double>(c), node_distance * static_cast<double>(r)});
  return nodes;
}

/// Each pair of dimensions is a square of copies of the previous one; the third dimension is oblique.
std::vector<PicturePoint> hypercube(std::size_t count) {
  std::vector<PicturePoint> nodes(count);
  constexpr PicturePoint first_steps[] = {{1, 0}, {0, 1}, {0.42, -0.36}};
  for (std::size_t i = 0; i < count; ++i) {
    double width = node_distance * 2.6;
    for (std::size_t bit = 0; std::size_t{1} << bit < count; ++bit) {
      PicturePoint step = {first_steps[bit % 3].x * node_distance * 1.3,
                           first_steps[bit % 3].y * node_distance * 1.3};
      if (bit >= 3) {
        step = bit % 2 == 1 ? PicturePoint{width, 0} : PicturePoint{0, width};
        if (bit % 2 == 0) width *= 2.2;
      }
      if ((i >> bit & 1U) == 0) continue;
      nodes[i].x += step.x;
      nodes[i].y += step.y;
    }
  }
  return nodes;
}

/// Places leaves in the bottom row, and every switch above the centre of its subtree.
std::vector<PicturePoint> tree(std::size_t count, std::size_t leaves, std::size_t arity) {
  std::vector<PicturePoint> nodes(count);
  for (std::size_t i = 0; i < leaves; ++i) nodes[i].x = node_distance * static_cast<double>(i);
  std::size_t below = 0;
  double y = 0;
  for (std::size_t width = leaves; width > 1; width /= arity) {
    const std::size_t first = below + width;
    y -= 1.2 * node_distance;
    for (std::size_t s = 0; s < width / arity; ++s)
      nodes[first + s] = {(nodes[below + s * arity].x + nodes[below + (s + 1) * arity - 1].x) / 2, y};
    below = first;
  }
  return nodes;
}

std::optional<NetworkLayout> known_shape(const Network& network) {
  const std::size_t count = network.node_count;
  const Ends own = ends_of(network);
  const auto is = [&](const Network& other) {
    return other.node_count == count && other.links.size() == own.size() && ends_of(other) == own;
  };
  if (count < 2) return std::nullopt;
  if (count >= 3 && is(ring_network(count))) return framed("ring", circle(count));
  // The hypercube of four nodes is a mesh, its more common name.
  if (std::has_single_bit(count) && count > 4 &&
      own.size() == count * static_cast<std::size_t>(std::countr_zero(count)) &&
      is(hypercube_network(static_cast<std::size_t>(std::countr_zero(count)))))
    return framed("hypercube", hypercube(count));
  for (std::size_t rows = 1; rows <= count; ++rows) {
    if (count % rows != 0 || own.size() > 4 * count || own.empty()) continue;
    if (is(mesh_network(rows, count / rows))) return framed("mesh", grid(rows, count / rows));
    if (rows > 1 && rows < count && is(torus_network(rows, count / rows)))
      return framed("torus", grid(rows, count / rows));
  }
  if (is(star_network(count))) return framed("star", star(count));
  if (is(channels_network(count - 1))) {
    // The switch has the last number.
    std::vector<PicturePoint> nodes = star(count);
    std::ranges::rotate(nodes, nodes.begin() + 1);
    return framed("star", std::move(nodes));
  }
  constexpr std::size_t most_arity = 64;
  for (std::size_t arity = 2; arity <= most_arity && own.size() == 2 * (count - 1); ++arity)
    for (std::size_t levels = 1, leaves = arity; leaves < count; ++levels, leaves *= arity) {
      // With the switches of all levels: leaves + leaves / arity + ... + 1.
      if (leaves + (leaves - 1) / (arity - 1) != count || !is(fat_tree_network(arity, levels))) continue;
      return framed("tree", tree(count, leaves, arity));
    }
  if (own.size() == count * (count - 1) && is(complete_network(count)))
    return framed("complete", circle(count));
  return std::nullopt;
}

/// Nodes in a grid of cells, for the search of near ones.
class Cells {
 public:
  Cells(const std::vector<PicturePoint>& nodes, double size) : size_(size) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
      cells_[key(cell(nodes[i].x), cell(nodes[i].y))].push_back(i);
  }
  template <class Visit>
  void near(PicturePoint place, Visit visit) const {
    for (std::int32_t dx = -1; dx <= 1; ++dx)
      for (std::int32_t dy = -1; dy <= 1; ++dy) {
        const auto found = cells_.find(key(cell(place.x) + dx, cell(place.y) + dy));
        if (found == cells_.end()) continue;
        for (const std::uint32_t other : found->second) visit(other);
      }
  }

 private:
  [[nodiscard]] std::int32_t cell(double at) const {
    return static_cast<std::int32_t>(std::floor(at / size_));
  }
  static std::uint64_t key(std::int32_t x, std::int32_t y) {
    return std::uint64_t{static_cast<std::uint32_t>(x)} << 32 | static_cast<std::uint32_t>(y);
  }
  double size_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

/// Separates nodes and other nodes' lines closer than `clear`: a line below a box seems to end
/// there.
void part_nodes_and_lines(const std::vector<PicturePoint>& nodes, const Ends& edges, double clear,
                          std::vector<PicturePoint>& moves) {
  for (const auto& [a, b] : edges) {
    const PicturePoint along{nodes[b].x - nodes[a].x, nodes[b].y - nodes[a].y};
    const double square = along.x * along.x + along.y * along.y;
    if (a == b || square < 1) continue;
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      if (node == a || node == b) continue;
      const PicturePoint from_a{nodes[node].x - nodes[a].x, nodes[node].y - nodes[a].y};
      const double share = (from_a.x * along.x + from_a.y * along.y) / square;
      if (share <= 0 || share >= 1) continue;
      // Perpendicular to the line; a node on the line moves to its left.
      const double aside = (from_a.y * along.x - from_a.x * along.y) / std::sqrt(square);
      if (std::abs(aside) >= clear) continue;
      const double push = (clear - std::abs(aside)) * (aside < 0 ? -1 : 1) / std::sqrt(square);
      const PicturePoint away{-along.y * push, along.x * push};
      moves[node].x += away.x;
      moves[node].y += away.y;
      moves[a].x -= away.x * (1 - share);
      moves[a].y -= away.y * (1 - share);
      moves[b].x -= away.x * share;
      moves[b].y -= away.y * share;
    }
  }
}

}  // namespace

NetworkLayout lay_out(const Network& network) {
  if (auto layout = known_shape(network)) return *layout;
  return lay_out_by_forces(network.node_count, ends_of(network));
}

namespace {

/// Reports whether any two nodes are connected.
bool is_connected(std::size_t count, const Ends& edges) {
  std::vector<std::uint32_t> root(count);
  for (std::uint32_t i = 0; i < count; ++i) root[i] = i;
  const auto root_of = [&](std::uint32_t node) {
    while (root[node] != node) node = root[node] = root[root[node]];
    return node;
  };
  std::size_t parts = count;
  for (const auto& [a, b] : edges)
    if (const std::uint32_t x = root_of(a), y = root_of(b); x != y) {
      root[x] = y;
      --parts;
    }
  return parts <= 1;
}

/// Rotates everything so that it is widest horizontally, as screens and pages are.
void lay_across(std::vector<PicturePoint>& nodes) {
  const auto count = static_cast<double>(std::max<std::size_t>(nodes.size(), 1));
  PicturePoint middle;
  for (const PicturePoint& node : nodes) middle = {middle.x + node.x / count, middle.y + node.y / count};
  double xx = 0, xy = 0, yy = 0;
  for (const PicturePoint& node : nodes) {
    const double x = node.x - middle.x, y = node.y - middle.y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  // The principal axis of the positions.
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy), cosine = std::cos(angle), sine = std::sin(angle);
  for (PicturePoint& node : nodes) {
    const double x = node.x - middle.x, y = node.y - middle.y;
    node = {x * cosine + y * sine, y * cosine - x * sine};
  }
}

}  // namespace

NetworkLayout lay_out_by_forces(std::size_t count, const Ends& edges, double distance) {
  std::vector<PicturePoint> nodes(count), moves(count);
  constexpr double golden_angle = 2.399963229728653;
  for (std::size_t i = 0; i < count; ++i) {
    const double radius = distance * 0.6 * std::sqrt(static_cast<double>(i) + 0.5);
    const double angle = golden_angle * static_cast<double>(i);
    nodes[i] = {radius * std::cos(angle), radius * std::sin(angle)};
  }
  constexpr std::size_t few_pairs = 100'000;
  const bool is_small = count * edges.size() <= few_pairs;
  const int rounds = count > 20'000 ? 30 : is_small ? 400 : 150;
  double step = distance * std::max(1.0, std::sqrt(static_cast<double>(count)) / 4);
  const double cooling = std::pow(0.01 * distance / step, 1.0 / rounds);
  // Unconnected parts would drift away from each other.
  const double gravity = is_connected(count, edges) ? 0 : 0.3;
  for (int round = 0; round < rounds; ++round, step *= cooling) {
    const Cells cells(nodes, 2.5 * distance);
    for (std::uint32_t i = 0; i < count; ++i) {
      moves[i] = {-gravity * nodes[i].x, -gravity * nodes[i].y};
      cells.near(nodes[i], [&](std::uint32_t other) {
        if (other == i) return;
        const double dx = nodes[i].x - nodes[other].x, dy = nodes[i].y - nodes[other].y;
        const double square = std::max(1.0, dx * dx + dy * dy);
        moves[i].x += distance * distance * dx / square;
        moves[i].y += distance * distance * dy / square;
      });
    }
    for (const auto& [a, b] : edges) {
      if (a == b) continue;
      const double dx = nodes[a].x - nodes[b].x, dy = nodes[a].y - nodes[b].y;
      const double pull = std::sqrt(dx * dx + dy * dy) / distance;
      moves[a].x -= pull * dx;
      moves[a].y -= pull * dy;
      moves[b].x += pull * dx;
      moves[b].y += pull * dy;
    }
    if (is_small) part_nodes_and_lines(nodes, edges, 0.6 * distance, moves);
    for (std::size_t i = 0; i < count; ++i) {
      const double length = std::sqrt(moves[i].x * moves[i].x + moves[i].y * moves[i].y);
      if (length < 1e-9) continue;
      const double part = std::min(length, step) / length;
      nodes[i].x += moves[i].x * part;
      nodes[i].y += moves[i].y * part;
    }
  }
  lay_across(nodes);
  return framed("forces", std::move(nodes));
}

void part_boxes(NetworkLayout& layout, const std::vector<double>& widths, double height, double gap) {
  std::vector<PicturePoint>& nodes = layout.nodes;
  if (nodes.empty()) return;
  constexpr int rounds = 100;
  // Separates by a little more, so that a pair need not be checked again.
  constexpr double slack = 0.5;
  for (int round = 0, overlaps = 1; round < rounds && overlaps > 0; ++round) {
    overlaps = 0;
    const Cells cells(nodes, std::max(std::ranges::max(widths), height) + gap);
    for (std::uint32_t a = 0; a < nodes.size(); ++a)
      cells.near(nodes[a], [&](std::uint32_t b) {
        if (b >= a) return;
        const double dx = nodes[a].x - nodes[b].x, dy = nodes[a].y - nodes[b].y;
        const double across = (widths[a] + widths[b]) / 2 + gap - std::abs(dx),
                     down = height + gap - std::abs(dy);
        if (across <= 0 || down <= 0) return;
        ++overlaps;
        if (across < down) {
          const double push = (across + slack) / 2 * (dx < 0 ? -1 : 1);
          nodes[a].x += push;
          nodes[b].x -= push;
        } else {
          const double push = (down + slack) / 2 * (dy < 0 ? -1 : 1);
          nodes[a].y += push;
          nodes[b].y -= push;
        }
      });
  }
  layout = framed(layout.shape, std::move(nodes));
}

std::vector<std::optional<PicturePoint>> arcs_around_boxes(const NetworkLayout& layout, const Ends& edges,
                                                           double width, double height) {
  std::vector<std::optional<PicturePoint>> arcs(edges.size());
  constexpr std::size_t few = 1'000'000;
  constexpr double clear = 8, highest = 64;
  const std::vector<PicturePoint>& nodes = layout.nodes;
  if (nodes.size() * edges.size() > few) return arcs;
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    const PicturePoint from = nodes[edges[edge].first], to = nodes[edges[edge].second];
    const PicturePoint along{to.x - from.x, to.y - from.y};
    const double length = std::hypot(along.x, along.y);
    if (length < 1) continue;
    // Half of the box's extent perpendicular to the line.
    const double half = (std::abs(along.y) * width + std::abs(along.x) * height) / (2 * length);
    double top = 0;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const PicturePoint at{nodes[node].x - from.x, nodes[node].y - from.y};
      const double share = (at.x * along.x + at.y * along.y) / (length * length);
      const double right = (at.y * along.x - at.x * along.y) / length;
      if (node == edges[edge].first || node == edges[edge].second || share <= 0.02 || share >= 0.98 ||
          std::abs(right) >= half)
        continue;
      // The height of a parabola there is 4 s (1 - s) of its top.
      top = std::max(top, (half + clear + right) / (4 * share * (1 - share)));
    }
    if (top == 0) continue;
    top = std::min(top, highest) / length;
    arcs[edge] = {from.x + along.x / 2 - along.y * top, from.y + along.y / 2 + along.x * top};
  }
  return arcs;
}

void draw_together(NetworkLayout& layout, const std::vector<double>& widths, double height, const Ends& edges,
                   double gap) {
  constexpr std::size_t few = 1'000'000;
  const std::size_t count = layout.nodes.size();
  if (count * (count + edges.size()) > few) return;
  double factor = 0;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const double across =
                       std::abs(layout.nodes[a].x - layout.nodes[b].x) / ((widths[a] + widths[b]) / 2 + gap),
                   down = std::abs(layout.nodes[a].y - layout.nodes[b].y) / (height + gap);
      factor = std::max(factor, 1 / std::max(across, down));
    }
  for (const auto& [a, b] : edges) {
    const PicturePoint from = layout.nodes[a], along{layout.nodes[b].x - from.x, layout.nodes[b].y - from.y};
    const double length = std::hypot(along.x, along.y);
    for (std::size_t node = 0; node < count && length > 0; ++node) {
      const PicturePoint to{layout.nodes[node].x - from.x, layout.nodes[node].y - from.y};
      const double share = (to.x * along.x + to.y * along.y) / (length * length);
      if (node == a || node == b || share <= 0 || share >= 1) continue;
      // Half of the box's extent perpendicular to the line.
      const double half = (std::abs(along.y) * widths[node] + std::abs(along.x) * height) / (2 * length);
      const double aside = std::abs(to.x * along.y - to.y * along.x) / length;
      factor = std::max(factor, (half + gap / 2) / aside);
    }
  }
  if (factor == 0 || factor >= 1) return;
  for (PicturePoint& node : layout.nodes) node = {factor * node.x, factor * node.y};
  layout = framed(layout.shape, std::move(layout.nodes));
}

}  // namespace takt
