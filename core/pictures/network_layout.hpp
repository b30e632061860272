#pragma once
/// Places for the nodes of a network and of other graphs without a direction.

#include <cstdint>
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

/// Brings nodes closer to each other, all by one factor, until two of their boxes, or a box and a line
/// between others, would come closer than `gap`: in a picture of a given size, names are larger then. Nothing
/// is done where two are closer already, or where O(nodes * (nodes + edges)) is much.
void draw_together(NetworkLayout& layout, const std::vector<double>& widths, double height,
                   const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges, double gap);

}  // namespace takt
