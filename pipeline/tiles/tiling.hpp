#pragma once
/// Selects kernels that process a frame in tiles, one after the other, so that data between them stay in a
/// core's cache.
///
/// A spectrometer on frames of 2 MiB, for example, writes 8 MiB of unpacked samples, reads them to write 8
/// MiB of spectra, and reads those: each pass accesses memory. With 8 tiles along the beamlets the same
/// kernels take two thirds of the time (docs/decisions/0029).

#include <cstddef>
#include <optional>
#include <vector>

#include "core/system/caches.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/tiles/cut.hpp"

namespace takt::pipeline {

/// Tiling of one kernel.
struct StageTiles {
  /// Kernels of one group share tiles: a tree whose root is one frame.
  std::size_t group = 0;
  Cut input, output;
};

/// By stage; nothing for stages on whole frames.
using Tiling = std::vector<std::optional<StageTiles>>;

/// Returns the size of the largest cache of one core of this host.
[[nodiscard]] Bytes cache_of_a_core();

/// Returns groups of two or more kernels with one input each that are all separable along a common axis
/// (Kernel::separates). Unless `deployment.tiles` is set, a group is tiled if its frames exceed a core's own
/// cache. Its tiles are so small that an input and an output fit that cache.
///
/// Pure. O(stages^2).
[[nodiscard]] Tiling tile(const Pipeline& pipeline, Bytes cache);

}  // namespace takt::pipeline
