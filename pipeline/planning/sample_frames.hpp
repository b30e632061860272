#pragma once
/// What a pipeline's frames look like, for tasks whose cost depends on that: those that work at what is
/// flagged, above a threshold, or missing, do far more to some frames than to noise.

#include <optional>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/trial_frames.hpp"

namespace takt::pipeline {

/// A frame of each source and kernel, as its first frames go through the pipeline.
class SampleFrames {
 public:
  /// Runs sources and kernels for about this long, once at least, and 16 times at most once all of them have
  /// given a frame. Live sources, and those that give frames at a rate of their own, are replaced by noise
  /// (trial_stages.hpp), and so is what nothing came out of within that time. Frames of more than 512 MiB, or
  /// an eighth of the free memory, or no budget: all is noise. With `checks_memory` what kernels write is
  /// watched (memory_check.hpp).
  SampleFrames(const Pipeline& pipeline, Time budget, bool checks_memory = false);

  /// Fills a frame of this stage.
  void fill(std::size_t stage, const FrameBuffer& frame) const;

 private:
  const Pipeline& pipeline_;
  /// By stage; nothing where no frame came.
  std::vector<std::optional<TrialFrame>> frames_;
};

}  // namespace takt::pipeline
