#pragma once
/// Whether kernels that can work through a frame in parts (pipeline/tiles) are done sooner so.
///
/// What they save depends on how much they do to each byte, and how the parts lie in the frame: of two light
/// kernels on parts of short rows the copies take longer than what stays in the cache saves
/// (docs/decisions/0135).

#include <optional>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/sample_frames.hpp"
#include "pipeline/tiles/tiled_run.hpp"
#include "pipeline/tiles/tiling.hpp"

namespace takt::pipeline {

/// All kernels of the group that is cut at this stage's frames; nothing where none is.
[[nodiscard]] std::optional<TileGroup> group_behind(const Pipeline& pipeline, const Tiling& tiling,
                                                    std::size_t root);

/// How kernels are cut, and which could be and are not, since they are done sooner on whole frames.
struct TriedTiles {
  Tiling tiling;
  std::vector<TaskId> whole = {};
};

/// Tries each group that `tile` makes both ways by turns on frames like these, for no longer than this
/// budget, and those that it makes of what is left where one is left whole: a run, which is told the tasks
/// that are not to be cut (Pipeline::keep_whole), has the same groups then. Nothing is tried where the user
/// has said how to cut.
[[nodiscard]] TriedTiles tiles_that_pay(const Pipeline& pipeline, const CacheSizes& caches,
                                        const SampleFrames& samples, Time budget);

}  // namespace takt::pipeline
