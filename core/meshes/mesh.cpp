#include "core/meshes/mesh.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace takt {

MeshPoint Mesh::centre_of(std::size_t cell) const {
  MeshPoint sum;
  const auto own = corners_of(cell);
  for (const std::uint32_t corner : own) {
    sum.x += corners[corner].x;
    sum.y += corners[corner].y;
  }
  const auto count = static_cast<double>(own.size());
  return {sum.x / count, sum.y / count};
}

Mesh grid_mesh(std::size_t rows, std::size_t columns) {
  Mesh mesh;
  mesh.rows = rows;
  mesh.columns = columns;
  for (std::size_t r = 0; r <= rows; ++r)
    for (std::size_t c = 0; c <= columns; ++c)
      mesh.corners.push_back({static_cast<double>(c), static_cast<double>(rows - r)});
  const auto corner = [&](std::size_t r, std::size_t c) {
    return static_cast<std::uint32_t>(r * (columns + 1) + c);
  };
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      for (const std::uint32_t each :
           {corner(r, c), corner(r, c + 1), corner(r + 1, c + 1), corner(r + 1, c)})
        mesh.cell_corners.push_back(each);
      mesh.first.push_back(static_cast<std::uint32_t>(mesh.cell_corners.size()));
    }
  // Each side belongs to two squares at most.
  (void)find_sides(mesh);
  return mesh;
}

std::optional<std::size_t> find_sides(Mesh& mesh) {
  /// A side of one cell; the lower corner first.
  struct Own {
    std::uint32_t from, to, cell;
  };
  std::vector<Own> all;
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto corners = mesh.corners_of(cell);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const auto [from, to] = std::minmax(corners[i], corners[(i + 1) % corners.size()]);
      all.push_back({from, to, static_cast<std::uint32_t>(cell)});
    }
  }
  std::ranges::sort(all, {}, [](const Own& own) { return std::tuple(own.from, own.to, own.cell); });
  mesh.sides.clear();
  const auto are_equal = [&](std::size_t i, std::size_t k) {
    return k < all.size() && all[i].from == all[k].from && all[i].to == all[k].to;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!are_equal(i, i + 1)) continue;
    if (are_equal(i, i + 2)) return all[i + 2].cell;
    mesh.sides.push_back({all[i].cell, all[i + 1].cell, all[i].from, all[i].to});
    ++i;
  }
  std::ranges::sort(mesh.sides, {}, [](const MeshSide& side) { return std::pair(side.a, side.b); });
  return std::nullopt;
}

}  // namespace takt
