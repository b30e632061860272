#pragma once
/// Layered layout of acyclic graphs.
///
/// After K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of hierarchical system
/// structures" (1981): layers by longest path; edges over several layers pass through a point in each. The
/// order within the layers results from barycentre sweeps, of which the one with the fewest crossings counts
/// (W. Barth, M. Juenger, P. Mutzel, "Simple and efficient bilayer cross counting", 2002), and from swaps of
/// neighbours. Horizontal positions: every layer in turn as close to its neighbours' means as the order
/// permits, a regression by pooling adjacent violators (M. Ayer and others, "An empirical distribution
/// function for sampling with incomplete information", 1955). Deterministic.

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
  /// Width of every node as drawn.
  std::vector<double> widths;
  /// From one node to another; acyclic.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  /// By node, or empty: which nodes without predecessors stay in the first layer. The others lie directly
  /// above their first successor.
  std::vector<bool> stays_first = {};
};

struct LayeredLayout {
  /// The centre of every node.
  std::vector<PicturePoint> nodes;
  std::vector<std::uint32_t> layers;
  /// The points of edge e between its ends: bends[first_bend[e] .. first_bend[e + 1]).
  std::vector<std::uint32_t> first_bend;
  std::vector<PicturePoint> bends;
  double width = 0, height = 0;

  [[nodiscard]] std::span<const PicturePoint> bends_of(std::size_t edge) const {
    return std::span(bends).subspan(first_bend[edge], first_bend[edge + 1] - first_bend[edge]);
  }
};

struct LayerDistances {
  /// Between the centres of successive layers, and between the sides of neighbours.
  double down = 80, across = 16;
};

/// Nodes of a layer keep their distance. If edges would pass through more than a million points, long ones
/// pass through none. 10^4 nodes take 0.2 s, 10^5 some seconds.
[[nodiscard]] LayeredLayout lay_out(const LayeredGraph& graph, const LayerDistances& distances = {});

/// Returns the crossings of edges drawn as straight lines between adjacent layers, for tests and comparisons.
/// O(m log n).
[[nodiscard]] std::uint64_t crossings(const LayeredGraph& graph, const LayeredLayout& layout);

}  // namespace takt
