#pragma once
/// Meshes: the cells that a program computes, and which of them are neighbours.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace takt {

/// Most cells of a mesh: pages draw each of them.
inline constexpr std::size_t most_cells = 200'000;

/// A point of the plane; y grows upwards.
struct MeshPoint {
  double x = 0, y = 0;
  friend bool operator==(const MeshPoint&, const MeshPoint&) = default;
};

/// The side that two neighbours have in common.
struct MeshSide {
  /// The neighbours, `a` < `b`.
  std::uint32_t a = 0, b = 0;
  /// Its ends, as corners of the mesh.
  std::uint32_t from = 0, to = 0;
  friend bool operator==(const MeshSide&, const MeshSide&) = default;
};

/// Polygons in a plane: the data points of an array (structured), or finite elements (unstructured).
struct Mesh {
  std::vector<MeshPoint> corners;
  /// Cell i has the corners `cell_corners[first[i]]` to `cell_corners[first[i + 1] - 1]`, in order around it.
  std::vector<std::uint32_t> cell_corners;
  std::vector<std::uint32_t> first{0};
  std::vector<MeshSide> sides;
  /// Of a structured mesh, whose cell r * columns + c is in row r from the top; 0 if unstructured.
  std::size_t rows = 0, columns = 0;

  [[nodiscard]] std::size_t cell_count() const { return first.size() - 1; }
  [[nodiscard]] bool is_structured() const { return rows > 0; }
  [[nodiscard]] std::span<const std::uint32_t> corners_of(std::size_t cell) const {
    return std::span(cell_corners).subspan(first[cell], first[cell + 1] - first[cell]);
  }
  /// Returns the mean of the cell's corners.
  [[nodiscard]] MeshPoint centre_of(std::size_t cell) const;
};

/// Returns rows x columns unit squares, both positive. Cells with a common side are neighbours.
[[nodiscard]] Mesh grid_mesh(std::size_t rows, std::size_t columns);

/// Finds the sides that two cells have in common, in the order of the cells. Returns nothing, or the last of
/// three cells with the same side, which no plane mesh has. O(n log n).
[[nodiscard]] std::optional<std::size_t> find_sides(Mesh& mesh);

}  // namespace takt
