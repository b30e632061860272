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

/// Shifts everything to where it begins at the margin.
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

/// Each pair of dimensions is a square of copies of the one before; the third leads aslant.
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

/// Leaves below in a row, every switch above the middle of what is below it.
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
  if (std::has_single_bit(count) && count > 2 &&
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

/// Nodes by cells of this size, so that the near ones are found.
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

}  // namespace

NetworkLayout lay_out(const Network& network) {
  if (auto layout = known_shape(network)) return *layout;
  return lay_out_by_forces(network.node_count, ends_of(network));
}

NetworkLayout lay_out_by_forces(std::size_t count, const Ends& edges, double distance) {
  std::vector<PicturePoint> nodes(count), moves(count);
  constexpr double golden_angle = 2.399963229728653;
  for (std::size_t i = 0; i < count; ++i) {
    const double radius = distance * 0.6 * std::sqrt(static_cast<double>(i) + 0.5);
    const double angle = golden_angle * static_cast<double>(i);
    nodes[i] = {radius * std::cos(angle), radius * std::sin(angle)};
  }
  const int rounds = count > 20'000 ? 30 : 150;
  double step = distance * std::max(1.0, std::sqrt(static_cast<double>(count)) / 4);
  const double cooling = std::pow(0.01 * distance / step, 1.0 / rounds);
  for (int round = 0; round < rounds; ++round, step *= cooling) {
    const Cells cells(nodes, 2.5 * distance);
    for (std::uint32_t i = 0; i < count; ++i) {
      moves[i] = {};
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
    for (std::size_t i = 0; i < count; ++i) {
      const double length = std::sqrt(moves[i].x * moves[i].x + moves[i].y * moves[i].y);
      if (length < 1e-9) continue;
      const double part = std::min(length, step) / length;
      nodes[i].x += moves[i].x * part;
      nodes[i].y += moves[i].y * part;
    }
  }
  return framed("forces", std::move(nodes));
}

}  // namespace takt
