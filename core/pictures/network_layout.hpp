#pragma once
/// Layout of networks and other undirected graphs.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/network.hpp"
#include "core/pictures/layered_layout.hpp"

namespace takt {

struct NetworkLayout {
  /// The kind of layout: `ring`, `mesh`, `torus`, `hypercube`, `star`, `tree`, `complete`, or `forces`.
  std::string_view shape;
  /// The centre of every node, in pixels, not negative.
  std::vector<PicturePoint> nodes;
  double width = 0, height = 0;
};

/// Lays out the rings, meshes, tori, hypercubes, stars, fat trees and complete networks of core/network.hpp
/// in their usual shapes; others by forces. O(links log links), for forces see there.
[[nodiscard]] NetworkLayout lay_out(const Network& network);

/// Nodes repel each other and edges attract: T. Fruchterman, E. Reingold, "Graph drawing by force-directed
/// placement" (1991), started from a sunflower pattern for a deterministic result. 100 iterations of O(nodes
/// + edges), in which only nodes of neighbouring cells repel each other. `distance` is the approximate
/// distance of neighbours.
[[nodiscard]] NetworkLayout lay_out_by_forces(
    std::size_t nodes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges,
    double distance = 90);

/// Separates boxes closer than `gap`, horizontally or vertically, whichever is shorter: at most 100
/// iterations of O(nodes) for boxes of similar size.
void part_boxes(NetworkLayout& layout, const std::vector<double>& widths, double height, double gap);

/// Scales distances down until two boxes, or a box and a line between others, would come closer than `gap`:
/// names are then larger in a picture of a given size. Does nothing if two are closer already, or if O(nodes
/// * (nodes + edges)) is too large.
void draw_together(NetworkLayout& layout, const std::vector<double>& widths, double height,
                   const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges, double gap);

/// Returns the top of an arc to the right of each edge whose straight line would pass below other nodes'
/// boxes: lines of a torus would otherwise coincide. Does nothing if O(nodes * edges) is too large.
[[nodiscard]] std::vector<std::optional<PicturePoint>> arcs_around_boxes(
    const NetworkLayout& layout, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges,
    double width, double height);

}  // namespace takt
