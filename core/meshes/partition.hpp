#pragma once
/// Partitions of meshes: which processor computes which cell, and what that costs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/meshes/mesh.hpp"

namespace takt {

struct Partition {
  std::string name;
  /// How it is made: one sentence.
  std::string says;
  /// By cell.
  std::vector<std::uint32_t> owner;
};

/// Returns the usual partitions of a mesh on so many processors, from 1 to the number of cells.
///
/// * Structured: blocks of rows, of columns, and of both (of all factorings of the number of processors the
/// one
///   with the fewest cut sides); rows in turn; two blocks of rows, or of both, a processor. Blocks have
///   ceil(n / P) rows, as in High Performance Fortran, so the last ones may be smaller or empty.
/// * Unstructured: the same strips with equal numbers of cells, by the cells' centres; the cells in the order
/// of
///   the file in blocks, in turn, and in two blocks a processor.
/// * Both: recursive coordinate bisection. A set of cells is cut across its longer extent, in the ratio of
/// the
///   numbers of processors, until each has one.
///
/// Source of bisection: M. J. Berger, S. H. Bokhari, "A partitioning strategy for nonuniform problems on
/// multiprocessors", IEEE Transactions on Computers C-36(5), 1987. O(n log n + n log P).
[[nodiscard]] std::vector<Partition> partitions_of(const Mesh& mesh, std::size_t processors);

/// What one processor does in a step in which each cell needs the values of its neighbours.
struct PartFigures {
  std::size_t cells = 0;
  /// Sides of its cells that are shared with cells elsewhere.
  std::size_t cut_sides = 0;
  /// Values that it sends: a cell's value goes once to each other processor with a neighbour of the cell.
  std::size_t sent = 0;
  /// Processors that it exchanges values with.
  std::size_t partners = 0;
  friend bool operator==(const PartFigures&, const PartFigures&) = default;
};

struct PartitionFigures {
  std::vector<PartFigures> processors;
  /// Sides between cells of two processors.
  std::size_t cut_sides = 0;
  /// Sums over the processors: values sent, and messages, one to each partner.
  std::size_t sent = 0, messages = 0;

  [[nodiscard]] std::size_t largest_load() const;
  /// Returns the largest load over the mean one: 1 is balanced.
  [[nodiscard]] double imbalance() const;
};

/// Counts what a partition costs. O(n log n).
[[nodiscard]] PartitionFigures figures_of(const Mesh& mesh, std::span<const std::uint32_t> owner,
                                          std::size_t processors);

}  // namespace takt
