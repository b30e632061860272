#pragma once
/// Places for the nodes of a network and of other graphs without a direction.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/network.hpp"
#include "core/pictures/layered_layout.hpp"

namespace takt {

struct NetworkLayout {
  /// What the places follow: `ring`, `mesh`, `torus`, `hypercube`, `star`, `tree`, `complete`, or `forces`.
  std::string_view shape;
  /// The middle of every node, in pixels, none negative.
  std::vector<PicturePoint> nodes;
  double width = 0, height = 0;
};

/// Rings, meshes, tori, hypercubes, stars, fat trees and complete networks of core/network.hpp at the places
/// by which people know them; others by forces. O(links log links), with forces see there.
[[nodiscard]] NetworkLayout lay_out(const Network& network);

/// Nodes repel each other and edges pull: T. Fruchterman, E. Reingold, "Graph drawing by force-directed
/// placement" (1991), begun from a sunflower's places so that the result is always the same. 100 rounds of
/// O(nodes + edges), in which only nodes of neighbouring cells repel each other. `distance` is about that of
/// neighbours.
[[nodiscard]] NetworkLayout lay_out_by_forces(
    std::size_t nodes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges,
    double distance = 90);

/// Moves nodes whose boxes are closer than `gap` apart, across or down, whichever is less: 100 rounds of
/// O(nodes) at most where boxes are much alike.
void part_boxes(NetworkLayout& layout, const std::vector<double>& widths, double height, double gap);

/// Brings nodes closer to each other, all by one factor, until two of their boxes, or a box and a line
/// between others, would come closer than `gap`: in a picture of a given size, names are larger then. Nothing
/// is done where two are closer already, or where O(nodes * (nodes + edges)) is much.
void draw_together(NetworkLayout& layout, const std::vector<double>& widths, double height,
                   const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges, double gap);

/// By edge, the middle of an arc to the right of its way, where its straight line would run below the boxes
/// of other nodes: lines of a hypercube or a torus would be one. Nothing where O(nodes * edges) is much.
[[nodiscard]] std::vector<std::optional<PicturePoint>> arcs_around_boxes(
    const NetworkLayout& layout, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges,
    double width, double height);

}  // namespace takt
