/// Tests of meshes and of the reader of Gmsh's files.

#include "core/meshes/mesh.hpp"

#include <filesystem>
#include <vector>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/meshes/gmsh.hpp"
#include "core/meshes/mesh_source.hpp"
#include "core/system/text_file.hpp"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

/// Two quadrangles next to a triangle, as Gmsh 4.8 writes them, with boundaries.
const std::string version_4 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 0 0\n1 0 0 0 0\n$EndEntities\n"
    "$Nodes\n2 7 1 7\n0 1 0 1\n1\n0 0 0\n2 5 0 6\n2\n3\n4\n5\n6\n7\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n3 0.5 "
    "0\n$EndNodes\n"
    "$Elements\n3 4 1 4\n0 1 15 1\n1 1\n2 5 3 2\n2 1 2 5 4\n3 2 3 6 5\n2 5 2 1\n4 3 7 6\n$EndElements\n";
const std::string version_2 =
    "$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n$PhysicalNames\n1\n2 1 \"plate $Nodes\"\n$EndPhysicalNames\n"
    "$Nodes\n7\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n7 3 .5 0\n$EndNodes\n"
    "$Elements\n4\n1 15 2 0 1 1\n2 3 2 0 5 1 2 5 4\n3 3 2 0 5 2 3 6 5\n4 2 0 3 7 6\n$EndElements\n";

TEST(GridMesh, has_rows_from_the_top_and_neighbours_at_common_sides) {
  const Mesh mesh = grid_mesh(2, 3);
  EXPECT_EQ(mesh.cell_count(), 6U);
  EXPECT_TRUE(mesh.is_structured());
  EXPECT_EQ(mesh.centre_of(0), (MeshPoint{0.5, 1.5}));
  EXPECT_EQ(mesh.centre_of(5), (MeshPoint{2.5, 0.5}));
  std::vector<std::pair<unsigned, unsigned>> pairs;
  for (const MeshSide& side : mesh.sides) pairs.emplace_back(side.a, side.b);
  EXPECT_THAT(pairs, ElementsAre(std::pair(0U, 1U), std::pair(0U, 3U), std::pair(1U, 2U), std::pair(1U, 4U),
                                 std::pair(2U, 5U), std::pair(3U, 4U), std::pair(4U, 5U)));
  // The side of cells 0 and 1 is vertical, from the upper edge to the middle.
  EXPECT_EQ(mesh.corners[mesh.sides[0].from], (MeshPoint{1, 2}));
  EXPECT_EQ(mesh.corners[mesh.sides[0].to], (MeshPoint{1, 1}));
}

TEST(Gmsh, reads_the_same_mesh_in_both_versions) {
  for (const std::string& text : {version_2, version_4}) {
    const Mesh mesh = mesh_from_gmsh(text, "a.msh");
    EXPECT_FALSE(mesh.is_structured());
    EXPECT_THAT(mesh.first, ElementsAre(0, 4, 8, 11));
    EXPECT_EQ(mesh.centre_of(0), (MeshPoint{0.5, 0.5}));
    EXPECT_EQ(mesh.centre_of(2), (MeshPoint{(2 + 3 + 2) / 3.0, 0.5}));
    ASSERT_EQ(mesh.sides.size(), 2U);
    EXPECT_EQ(std::pair(mesh.sides[0].a, mesh.sides[0].b), std::pair(0U, 1U));
    EXPECT_EQ(std::pair(mesh.sides[1].a, mesh.sides[1].b), std::pair(1U, 2U));
    for (const std::uint32_t corner : {mesh.sides[1].from, mesh.sides[1].to})
      EXPECT_EQ(mesh.corners[corner].x, 2);
  }
}

TEST(Gmsh, keeps_the_corners_of_elements_of_second_order) {
  // A triangle with the nodes within its sides.
  const Mesh mesh = mesh_from_gmsh(
      "$MeshFormat\n2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 1\n2 2 0 1\n3 0 2 1\n4 1 0 1\n5 1 1 1\n6 0 1 1\n"
      "$EndNodes\n$Elements\n1\n1 9 0 1 2 3 4 5 6\n$EndElements\n",
      "a.msh");
  EXPECT_THAT(mesh.corners, ElementsAre(MeshPoint{0, 0}, MeshPoint{2, 0}, MeshPoint{0, 2}));
}

TEST(Gmsh, reads_the_example) {
  const std::filesystem::path file =
      std::filesystem::path(TAKT_SOURCE_DIR) / "docs/examples/meshes/plate.msh";
  const Mesh mesh = load_mesh(file.string());
  // A plane mesh of triangles with one hole (Euler): corners - sides + cells = 0; a triangle has three sides.
  const std::size_t inner = mesh.sides.size(), all = 3 * mesh.cell_count() - inner;
  EXPECT_EQ(mesh.corners.size() + mesh.cell_count(), all);
}

std::string error_of(const std::string& text) {
  try {
    (void)mesh_from_gmsh(text, "a.msh");
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::string changed(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

TEST(Gmsh, refuses_what_it_does_not_understand_with_its_place) {
  const auto of_2 = [](const std::string& old, const std::string& now) {
    return error_of(changed(version_2, old, now));
  };
  EXPECT_EQ(error_of(""), "a.msh:1:1: expected $MeshFormat, found the end of the file");
  EXPECT_EQ(error_of("solid x"), "a.msh:1:1: expected $MeshFormat, found 'solid'");
  EXPECT_THAT(of_2("2.2 0", "3.0 0"), StartsWith("a.msh:2:1: unsupported version 3: expected 2 or 4.1"));
  EXPECT_THAT(of_2("2.2 0", "2.2 1"), StartsWith("a.msh:2:5: the file is binary"));
  EXPECT_THAT(of_2("$Elements\n4", "$Elements\n3"),
              StartsWith("a.msh:23:1: expected $EndElements, found '4'"));
  EXPECT_EQ(of_2("3 2 0 0", "3 left 0 0"), "a.msh:12:3: expected x, found 'left'");
}

TEST(Gmsh, refuses_damaged_nodes_and_elements) {
  const auto of_2 = [](const std::string& old, const std::string& now) {
    return error_of(changed(version_2, old, now));
  };
  const auto of_4 = [](const std::string& old, const std::string& now) {
    return error_of(changed(version_4, old, now));
  };
  EXPECT_EQ(of_2("3 2 0 0", "3 2 nan 0"),
            "a.msh:12:5: expected y, a number from -1e+100 to 1e+100, found nan");
  EXPECT_EQ(of_2("7 3 .5 0", "7 2 .5 0"), "a.msh:23:1: the element has no area");
  EXPECT_EQ(of_2("3 2 0 0", "2 2 0 0"), "a.msh:12:1: node 2 exists already");
  EXPECT_THAT(of_2("7 3 .5 0", "7 3 .5 2"), StartsWith("a.msh:16:1: z is 2 here, and 0 at another corner"));
  EXPECT_EQ(of_2("3 7 6\n", "3 8 6\n"), "a.msh:23:9: no node 8 in $Nodes above");
  EXPECT_EQ(of_2("3 7 6\n", "3 7 3\n"), "a.msh:23:11: node 3 is two corners of the element");
  EXPECT_THAT(of_2("4 2 0 3", "4 4 0 3"), StartsWith("a.msh:23:3: elements of kind 4 are not in a plane"));
  EXPECT_THAT(of_2("4 2 0 3 7 6", "4 2 0 2 5 7"),
              StartsWith("a.msh:23:1: two other elements have a side of this one"));
  EXPECT_THAT(of_2("$EndPhysicalNames", "x"), StartsWith("a.msh:4:1: expected $EndPhysicalNames below"));
  EXPECT_THAT(of_2("$PhysicalNames", "$Physical"), StartsWith("a.msh:4:1: unknown section '$Physical'"));
  EXPECT_THAT(of_4("2 7 1 7", "2 8 1 7"), StartsWith("a.msh:9:3: expected 8 nodes, found 7"));
  EXPECT_THAT(of_4("3 4 1 4", "3 5 1 4"), StartsWith("a.msh:28:3: expected 5 elements, found 4"));
  EXPECT_THAT(error_of(version_4.substr(0, version_4.find("$Elements"))),
              StartsWith("a.msh:27:1: the mesh has no triangle and no quadrangle"));
}

std::string error_of_grid(const std::string& text) {
  try {
    (void)load_mesh(text);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(MeshSource, knows_files_and_grids) {
  EXPECT_TRUE(names_mesh("grid"));
  EXPECT_TRUE(names_mesh("grid:rows=3"));
  EXPECT_TRUE(names_mesh("plate.msh"));
  EXPECT_FALSE(names_mesh("grid.yaml"));
  EXPECT_EQ(load_mesh("grid").cell_count(), 16U * 24);
  EXPECT_EQ(load_mesh("grid:rows=3,columns=5").columns, 5U);
  EXPECT_EQ(error_of_grid("grid:rows=0"),
            "grid:rows=0: rows: expected a whole number from 1 to 200000, found '0'");
  EXPECT_EQ(error_of_grid("grid:rows=3x"),
            "grid:rows=3x: rows: expected a whole number from 1 to 200000, found '3x'");
  EXPECT_EQ(error_of_grid("grid:rows"),
            "grid:rows: rows: expected a whole number from 1 to 200000, found ''");
  EXPECT_THAT(error_of_grid("grid:row=3"),
              StartsWith("grid:row=3: unknown parameter 'row'; did you mean 'rows'?"));
  EXPECT_EQ(error_of_grid("grid:rows=3,rows=4"), "grid:rows=3,rows=4: parameter rows is given twice");
  EXPECT_EQ(error_of_grid("grid:rows=1000,columns=1000"),
            "grid:rows=1000,columns=1000: 1000000 cells are too many: expected at most 200000");
}

}  // namespace
}  // namespace takt
