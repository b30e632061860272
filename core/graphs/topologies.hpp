#pragma once
/// The shapes of well-known task graphs: their tasks and edges.
///
/// Tasks are numbered from 0, from left to right and top to bottom, so that every edge leads to a higher
/// number. Every function throws ConfigError, before it allocates, if the graph would have more than
/// `largest_task_count` tasks or `largest_edge_count` edges (core/graphs/graph_limits.hpp).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace takt {

struct Arc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  friend bool operator==(const Arc&, const Arc&) = default;
  friend auto operator<=>(const Arc&, const Arc&) = default;
};

struct Topology {
  std::size_t task_count = 0;
  std::vector<Arc> arcs;
  /// The datum of each arc, where tasks have several results or results several readers: arcs with equal
  /// numbers have one task as `from`. Empty: each arc has its own.
  std::vector<std::size_t> datum_of = {};
};

/// Returns depth + 1 tasks in a row.
[[nodiscard]] Topology chain_topology(std::uint64_t depth);

/// `depth` stages: one task, then `width` parallel ones, then the first one of the next stage; depth (width +
/// 1) + 1 tasks.
[[nodiscard]] Topology fork_join_topology(std::uint64_t depth, std::uint64_t width);

/// Returns a chain of `depth` diamonds, fork_join of width 2: 3k -> 3k+1, 3k+2 -> 3k+3.
[[nodiscard]] Topology diamond_topology(std::uint64_t depth);

/// Returns a binary tree from the root down: i -> 2i+1, 2i+2; 2^(depth+1) - 1 tasks.
[[nodiscard]] Topology send_tree_topology(std::uint64_t depth);

/// Returns the send tree reversed: the 2^depth leaves come first, the root last.
[[nodiscard]] Topology receive_tree_topology(std::uint64_t depth);

/// Returns a butterfly of depth + 1 layers of 2^depth tasks: (l, i) -> (l+1, i) and (l+1, i xor 2^l).
[[nodiscard]] Topology fft_topology(std::uint64_t depth);

/// Returns the FFT reversed: (l, i) -> (l+1, i) and (l+1, i xor 2^(depth-1-l)).
[[nodiscard]] Topology inverse_fft_topology(std::uint64_t depth);

/// Returns depth + 1 layers of `width` tasks: (l, i) -> (l+1, i-1), (l+1, i), (l+1, i+1) where they exist.
[[nodiscard]] Topology wave_topology(std::uint64_t depth, std::uint64_t width);

/// Returns Gaussian elimination of a size x size matrix by columns: for each k a pivot task k,k and an update
/// task k,j for each column j > k; k,k -> k,j -> k+1,j, where k+1,k+1 is the next pivot. (size^2 + size - 2)
/// / 2 tasks. Source: Cosnard, Marrakchi, Robert, Trystram, "Parallel Gaussian elimination on an MIMD
/// computer" (1988).
[[nodiscard]] Topology gauss_topology(std::uint64_t size);

/// Returns the Gauss-Seidel sweep of Laplace's equation over a size x size grid: (i, j) -> (i+1, j), (i,
/// j+1), numbered by anti-diagonals.
[[nodiscard]] Topology laplace_topology(std::uint64_t size);

/// Returns N-body forces, all pairs, with `size` groups of bodies passed around a ring: in each of size *
/// steps layers a task per group, (l, i) -> (l+1, i) (its sum of forces) and (l+1, i+1 mod size) (the passed
/// group).
[[nodiscard]] Topology nbody_topology(std::uint64_t size, std::uint64_t steps);

/// Returns Strassen's multiplication, `depth` levels of recursion: one level has 10 additions, 7 products and
/// 8 additions. Source: Strassen, "Gaussian elimination is not optimal" (1969).
[[nodiscard]] Topology strassen_topology(std::uint64_t depth);

struct LayeredOptions {
  std::uint64_t tasks = 100;
  /// Tasks in a layer: tasks^width on average. 0 is a chain, 1 a single layer.
  double width = 0.5;
  /// Uniformity of the layers: a layer has mean * [regularity, 2 - regularity] tasks.
  double regularity = 0.9;
  /// Largest fraction of the layer above on which a task depends.
  double density = 0.5;
  /// Number of tasks on which each one below the first layer depends, or all permitted ones if they are
  /// fewer. Empty: at random, up to `density`.
  std::optional<std::uint64_t> degree = std::nullopt;
  /// Largest number of layers that an edge may span.
  std::uint64_t jump = 1;
  std::uint64_t seed = 1;
};

/// Adds two tasks to the graph: the first one feeds all tasks without a parent, the last one depends on all
/// without a child. CASCH's programs end on such a host, which distributes the data and collects the results.
/// Source: Ahmad, Kwok, Wu, Shu, "CASCH: a tool for computer-aided scheduling" (2000), figures 2 and 4.
[[nodiscard]] Topology with_host(const Topology& topology);

/// Returns a random graph of layers, with the parameters of Suter's DAG generator `daggen`.
[[nodiscard]] Topology layered_topology(const LayeredOptions& options);

}  // namespace takt
