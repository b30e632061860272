#pragma once
/// The MESH argument of the command line: a file of Gmsh, or a generated grid.

#include <string>
#include <string_view>

#include "core/meshes/mesh.hpp"

namespace takt {

/// Reports whether the text names a mesh: a file `.msh`, or `grid` with or without parameters.
[[nodiscard]] bool names_mesh(std::string_view text);

/// Returns the mesh of a file, or of `grid:rows=16,columns=24` (these are the defaults). Throws ConfigError
/// with what was expected.
[[nodiscard]] Mesh load_mesh(const std::string& text);

}  // namespace takt
