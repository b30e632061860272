#pragma once
/// Which kernels work through a frame in parts, one part after the other, so that what they hand to each
/// other stays in the cache of a core.
///
/// A spectrometer on frames of 2 MiB, for example, writes 8 MiB of unpacked samples, reads them again to
/// write 8 MiB of spectra, and reads those: each pass goes to memory. Cut into 8 tiles along the beamlets the
/// same kernels take two thirds of the time (docs/decisions/0029).

#include <cstddef>
#include <optional>
#include <vector>

#include "core/system/caches.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/tiles/cut.hpp"

namespace takt::pipeline {

/// How one kernel is cut.
struct StageTiles {
  /// Kernels of one group hand tiles to each other: a tree that begins at one frame.
  std::size_t group = 0;
  Cut input, output;
};

/// By stage; nothing for those that work on whole frames.
using Tiling = std::vector<std::optional<StageTiles>>;

struct CacheSizes {
  /// Of one core.
  Bytes own;
  /// What ranks of a node share; nothing where it is not known.
  std::optional<Bytes> shared;
};

[[nodiscard]] CacheSizes caches_of_this_host();

/// Groups of two and more kernels with one input each, in which each can work on parts of a frame along an
/// axis that its inputs have in common (Kernel::separates). Unless `deployment.tiles` says otherwise, a group
/// is cut when all its frames, twice, do not fit a rank's share of the largest cache, into so many tiles that
/// an input and an output fit a core's own.
///
/// Pure. O(stages^2).
[[nodiscard]] Tiling tile(const Pipeline& pipeline, const CacheSizes& caches);

}  // namespace takt::pipeline
