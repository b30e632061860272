#pragma once
/// Shows a mesh with its partitions.

#include <string>

#include "core/meshes/mesh.hpp"
#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// Shows the mesh with each of its usual partitions, and what they cost. Throws ConfigError for more
/// processors than cells.
[[nodiscard]] Page mesh_page(const std::string& title, const Mesh& mesh, std::size_t processors);

/// Returns a line per cell: its number, the middle of its corners, and its processor in each partition.
/// Throws as mesh_page does.
[[nodiscard]] std::string mesh_to_csv(const Mesh& mesh, std::size_t processors);

}  // namespace takt::pipeline
