#pragma once
/// Whether kernels that can work through a frame in parts (pipeline/tiles) are done sooner so.
///
/// What they save depends on how much they do to each byte, and how the parts lie in the frame: of two light
/// kernels on parts of short rows the copies take longer than what stays in the cache saves
/// (docs/decisions/0135).

#include <optional>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/sample_frames.hpp"
#include "pipeline/tiles/tiled_run.hpp"
#include "pipeline/tiles/tiling.hpp"

namespace takt::pipeline {

/// All kernels of the group that is cut at this stage's frames; nothing where none is.
[[nodiscard]] std::optional<TileGroup> group_behind(const Pipeline& pipeline, const Tiling& tiling,
                                                    std::size_t root);

/// Takes those groups out of the tiling that were done sooner on whole frames: both ways by turns on frames
/// like these, for no longer than this budget each. Leaves it as it is where the user has said how to cut.
void leave_out_slower_tiles(const Pipeline& pipeline, Tiling& tiling, const SampleFrames& samples,
                            Time budget);

}  // namespace takt::pipeline
