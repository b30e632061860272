#pragma once
/// Places for the nodes and edges of an acyclic graph, layer below layer.
///
/// After K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of hierarchical system
/// structures" (1981): layers by longest path; edges over several layers pass through a point in each; the
/// order within the layers by sweeps of barycentres, of which the one with the fewest crossings counts (W.
/// Barth, M. Juenger, P. Mutzel, "Simple and efficient bilayer cross counting", 2002), and swaps of
/// neighbours. Places across: every layer in turn as near to its neighbours' means as the order allows, a
/// regression by pooling adjacent violators (M. Ayer and others, "An empirical distribution function for
/// sampling with incomplete information", 1955). Deterministic.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace takt {

/// In pixels; y grows downwards.
struct PicturePoint {
  double x = 0, y = 0;
  friend bool operator==(const PicturePoint&, const PicturePoint&) = default;
};

struct LayeredGraph {
  /// Of every node, as drawn.
  std::vector<double> widths;
  /// From a node to another one; acyclic.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
};

struct LayeredLayout {
  /// The middle of every node.
  std::vector<PicturePoint> nodes;
  std::vector<std::uint32_t> layers;
  /// The points that edge e passes between its ends: bends[first_bend[e] .. first_bend[e + 1]).
  std::vector<std::uint32_t> first_bend;
  std::vector<PicturePoint> bends;
  double width = 0, height = 0;

  [[nodiscard]] std::span<const PicturePoint> bends_of(std::size_t edge) const {
    return std::span(bends).subspan(first_bend[edge], first_bend[edge + 1] - first_bend[edge]);
  }
};

struct LayerDistances {
  /// From the middle of a layer to that of the next one, and between the sides of neighbours.
  double down = 80, across = 16;
};

/// Nodes of a layer keep their distance. Where edges would pass through more points than a million, long
/// ones pass through none. 10^4 nodes take 0.2 s, 10^5 some seconds.
[[nodiscard]] LayeredLayout lay_out(const LayeredGraph& graph, const LayerDistances& distances = {});

/// Crossings of edges, where all are drawn straight between layers that lie next to each other: for tests and
/// comparisons. O(m log n).
[[nodiscard]] std::uint64_t crossings(const LayeredGraph& graph, const LayeredLayout& layout);

}  // namespace takt
