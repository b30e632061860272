#pragma once
/// Meshes of Gmsh, the mesh generator: files `.msh`.

#include <string>
#include <string_view>

#include "core/meshes/mesh.hpp"

namespace takt {

/// Reads a mesh in a plane z = constant, in ASCII of version 2 or 4.1 of the format. Cells are its triangles
/// and quadrangles, in the order of the file, without the nodes within the sides of elements of second order.
/// Elements of curves and points are ignored: they are boundaries. Throws ConfigError with file:line:column.
///
/// Source: Gmsh reference manual 4.8, "File formats".
[[nodiscard]] Mesh mesh_from_gmsh(std::string_view text, const std::string& file);

}  // namespace takt
