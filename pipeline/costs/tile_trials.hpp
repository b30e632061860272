#pragma once
/// Decides by measurement whether separable kernels (pipeline/tiles) are faster on tiles.
///
/// The gain depends on the work per byte and on the layout of the tiles: for two light
/// kernels and tiles of short rows, the copies take longer than the caches save
/// (docs/decisions/0135).

#include <optional>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/sample_frames.hpp"
#include "pipeline/tiles/tiled_run.hpp"
#include "pipeline/tiles/tiling.hpp"

namespace takt::pipeline {

/// Returns all kernels of the group whose tiles start at this stage's frames; nothing if there is none.
[[nodiscard]] std::optional<TileGroup> group_from(const Pipeline& pipeline, const Tiling& tiling,
                                                  std::size_t root);

/// The tiling, and the separable kernels that are faster on whole frames.
struct TriedTiles {
  Tiling tiling;
  std::vector<TaskId> whole = {};
};

/// Measures each group made by `tile` both ways alternately on these samples, within this budget. If a
/// group is left whole, it also measures the groups formed by the remaining kernels. A run that excludes
/// the same tasks (Pipeline::keep_whole) then has the same groups. Measures nothing if the user has set the
/// tiling.
[[nodiscard]] TriedTiles tiles_that_pay(const Pipeline& pipeline, Bytes cache, const SampleFrames& samples,
                                        Time budget);

}  // namespace takt::pipeline
