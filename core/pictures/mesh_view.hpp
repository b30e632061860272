#pragma once
/// The view of a mesh with its partitions, and its picture without a browser.

#include <cstddef>
#include <span>

#include <nlohmann/json_fwd.hpp>

#include "core/meshes/mesh.hpp"
#include "core/meshes/partition.hpp"
#include "core/pictures/page.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

[[nodiscard]] View mesh_view(const Mesh& mesh, std::span<const Partition> partitions, std::size_t processors);

/// Draws the mesh once for each partition, side by side, with the cut sides in bold. O(cells * partitions).
[[nodiscard]] Drawing svg_of_mesh(const nlohmann::ordered_json& view);

}  // namespace takt
