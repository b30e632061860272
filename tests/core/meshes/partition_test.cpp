/// Tests of partitions against formulas and against a count of all pairs of cells.

#include "core/meshes/partition.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "core/meshes/mesh_source.hpp"
#include "core/random.hpp"

namespace takt {
namespace {

using ::testing::ElementsAre;

Mesh plate() {
  return load_mesh((std::filesystem::path(TAKT_SOURCE_DIR) / "docs/examples/meshes/plate.msh").string());
}

std::map<std::string, std::vector<std::uint32_t>> owners_of(const Mesh& mesh, std::size_t processors) {
  std::map<std::string, std::vector<std::uint32_t>> owners;
  for (const Partition& each : partitions_of(mesh, processors)) owners[each.name] = each.owner;
  return owners;
}

using Ranks = std::vector<std::uint32_t>;

TEST(Partitions, of_a_grid_are_those_of_arrays) {
  auto owners = owners_of(grid_mesh(4, 6), 4);
  EXPECT_EQ(owners["rows"], (Ranks{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(owners["columns"],
            (Ranks{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(owners["blocks"],
            (Ranks{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 2, 2, 2, 3, 3, 3}));
  EXPECT_EQ(owners["cyclic rows"], owners["rows"]);
  // Two blocks a processor and direction: rows 0 1 0 1, and columns in blocks of 2, 0 0 1 1 0 0.
  EXPECT_EQ(owners["block-cyclic blocks"],
            (Ranks{0, 0, 1, 1, 0, 0, 2, 2, 3, 3, 2, 2, 0, 0, 1, 1, 0, 0, 2, 2, 3, 3, 2, 2}));
  // First the left half, then its upper one.
  EXPECT_EQ(owners["bisection"],
            (Ranks{0, 0, 0, 2, 2, 2, 0, 0, 0, 2, 2, 2, 1, 1, 1, 3, 3, 3, 1, 1, 1, 3, 3, 3}));
}

/// Bisection by its definition: sorts all cells of a set and takes the first ones.
void bisect_by_sorting(const Mesh& mesh, std::vector<std::uint32_t> cells, std::uint32_t first,
                       std::uint32_t count, std::vector<std::uint32_t>& owner) {
  if (count == 1) {
    for (const std::uint32_t cell : cells) owner[cell] = first;
    return;
  }
  double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
  for (const std::uint32_t cell : cells) {
    const MeshPoint at = mesh.centre_of(cell);
    left = std::min(left, at.x);
    right = std::max(right, at.x);
    bottom = std::min(bottom, at.y);
    top = std::max(top, at.y);
  }
  const bool is_wide = right - left >= top - bottom;
  std::sort(cells.begin(), cells.end(), [&](std::uint32_t a, std::uint32_t b) {
    const MeshPoint p = mesh.centre_of(a), q = mesh.centre_of(b);
    if (is_wide) return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y > q.y : a < b;
    return p.y != q.y ? p.y > q.y : p.x != q.x ? p.x < q.x : a < b;
  });
  const std::uint32_t half = count / 2;
  const auto taken =
      static_cast<std::ptrdiff_t>(std::floor(static_cast<double>(cells.size()) * half / count + 0.5));
  bisect_by_sorting(mesh, {cells.begin(), cells.begin() + taken}, first, half, owner);
  bisect_by_sorting(mesh, {cells.begin() + taken, cells.end()}, first + half, count - half, owner);
}

TEST(Partitions, by_bisection_follow_the_definition) {
  for (const Mesh& mesh : {plate(), grid_mesh(7, 11)})
    for (const std::uint32_t processors : {1U, 2U, 3U, 5U, 8U, 13U}) {
      std::vector<std::uint32_t> cells(mesh.cell_count()), expected(mesh.cell_count());
      std::iota(cells.begin(), cells.end(), 0U);
      bisect_by_sorting(mesh, cells, 0, processors, expected);
      EXPECT_EQ(owners_of(mesh, processors)["bisection"], expected) << processors;
    }
}

TEST(Partitions, of_finite_elements_have_equal_loads_and_compact_parts) {
  const Mesh mesh = plate();
  for (const std::size_t processors : {2U, 4U, 6U, 7U}) {
    std::map<std::string, PartitionFigures> figures;
    for (const Partition& each : partitions_of(mesh, processors))
      figures[each.name] = figures_of(mesh, each.owner, processors);
    for (const char* const name : {"rows", "columns", "blocks", "bisection", "cyclic by number"}) {
      const auto [least, most] = std::ranges::minmax(figures[name].processors, {}, &PartFigures::cells);
      EXPECT_LE(most.cells - least.cells, 2U) << name << " on " << processors;
    }
    EXPECT_LT(figures["bisection"].cut_sides * 4, figures["cyclic by number"].cut_sides);
    EXPECT_LE(figures["columns"].cut_sides, figures["rows"].cut_sides) << "the plate is wider than high";
  }
}

TEST(Partitions, in_strips_are_ordered) {
  const Mesh mesh = plate();
  auto owners = owners_of(mesh, 5);
  for (std::size_t a = 0; a < mesh.cell_count(); ++a)
    for (std::size_t b = 0; b < mesh.cell_count(); b += 7) {
      if (owners["columns"][a] < owners["columns"][b]) {
        EXPECT_LE(mesh.centre_of(a).x, mesh.centre_of(b).x);
      }
      if (owners["rows"][a] < owners["rows"][b]) {
        EXPECT_GE(mesh.centre_of(a).y, mesh.centre_of(b).y);
      }
    }
}

TEST(Partitions, use_each_processor_down_to_a_cell_each) {
  for (const Mesh& mesh : {plate(), grid_mesh(3, 4)})
    for (const Partition& each : partitions_of(mesh, 12)) {
      EXPECT_EQ(each.owner.size(), mesh.cell_count()) << each.name;
      EXPECT_LT(*std::ranges::max_element(each.owner), 12U) << each.name;
    }
  const Ranks each_one = owners_of(grid_mesh(3, 4), 12)["bisection"];
  EXPECT_EQ(std::set(each_one.begin(), each_one.end()).size(), 12U);
}

/// Counts over all pairs of cells; two with two corners in common are neighbours.
PartitionFigures counted(const Mesh& mesh, const std::vector<std::uint32_t>& owner, std::size_t processors) {
  PartitionFigures figures{.processors = std::vector<PartFigures>(processors)};
  std::set<std::pair<std::size_t, std::uint32_t>> values;
  std::set<std::pair<std::uint32_t, std::uint32_t>> messages;
  for (std::size_t a = 0; a < mesh.cell_count(); ++a) {
    ++figures.processors[owner[a]].cells;
    for (std::size_t b = 0; b < mesh.cell_count(); ++b) {
      if (owner[a] == owner[b]) continue;
      int common = 0;
      for (const std::uint32_t x : mesh.corners_of(a))
        for (const std::uint32_t y : mesh.corners_of(b)) common += x == y ? 1 : 0;
      if (common < 2) continue;
      ++figures.processors[owner[a]].cut_sides;
      figures.cut_sides += a < b ? 1 : 0;
      values.emplace(a, owner[b]);
      messages.emplace(owner[a], owner[b]);
    }
  }
  for (const auto& [cell, to] : values) ++figures.processors[owner[cell]].sent;
  for (const auto& [from, to] : messages) ++figures.processors[from].partners;
  figures.sent = values.size();
  figures.messages = messages.size();
  return figures;
}

TEST(PartitionFigures, equal_a_count_of_all_pairs) {
  for (const Mesh& mesh : {plate(), grid_mesh(9, 14)}) {
    std::vector<std::vector<std::uint32_t>> owners;
    for (const Partition& each : partitions_of(mesh, 6)) owners.push_back(each.owner);
    Random random(7);
    for (std::uint32_t& owner : owners.emplace_back(mesh.cell_count()))
      owner = static_cast<std::uint32_t>(random.below(6));
    for (const std::vector<std::uint32_t>& owner : owners) {
      const PartitionFigures figures = figures_of(mesh, owner, 6), expected = counted(mesh, owner, 6);
      EXPECT_EQ(figures.processors, expected.processors);
      EXPECT_EQ(figures.cut_sides, expected.cut_sides);
      EXPECT_EQ(figures.sent, expected.sent);
      EXPECT_EQ(figures.messages, expected.messages);
    }
  }
}

TEST(PartitionFigures, of_blocks_of_a_grid_follow_the_formulas) {
  // 12 x 18 cells in 2 x 3 blocks of 6 x 6: cuts of 18 and of 2 x 12 sides.
  const Mesh mesh = grid_mesh(12, 18);
  const PartitionFigures figures = figures_of(mesh, owners_of(mesh, 6)["blocks"], 6);
  EXPECT_EQ(figures.cut_sides, 18U + 2 * 12);
  EXPECT_EQ(figures.messages, 2U * (3 + 4));
  EXPECT_EQ(figures.largest_load(), 36U);
  EXPECT_DOUBLE_EQ(figures.imbalance(), 1);
  // A block in the middle sends 3 sides of 6 values; a corner cell goes to two processors.
  EXPECT_EQ(figures.processors[1], (PartFigures{.cells = 36, .cut_sides = 18, .sent = 18, .partners = 3}));
  // 5 rows on 3 processors: 2, 2, 1 rows.
  const Mesh uneven = grid_mesh(5, 4);
  EXPECT_DOUBLE_EQ(figures_of(uneven, owners_of(uneven, 3)["rows"], 3).imbalance(), 8 * 3 / 20.0);
}

}  // namespace
}  // namespace takt
