#pragma once
/// What a pipeline's frames look like, for tasks whose cost depends on that: those that work at what is
/// flagged, above a threshold, or missing, do far more to some frames than to noise.

#include <cstddef>
#include <span>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/trial_frames.hpp"

namespace takt::pipeline {

/// Frames of each source and kernel, as its first frames go through the pipeline.
class SampleFrames {
 public:
  /// Runs sources and kernels for about this long, once at least, and 64 times at most once all of them have
  /// given a frame. The last ones are kept, as many of each as there are in 64 MiB. Live sources, and those
  /// that give frames at a rate of their own, are replaced by noise (trial_stages.hpp), and so is what
  /// nothing came out of within that time. Frames of more than 512 MiB, or an eighth of the free memory, or
  /// no budget: all is noise. With `checks_memory` what kernels write is watched (memory_check.hpp).
  SampleFrames(const Pipeline& pipeline, Time budget, bool checks_memory = false);

  /// Fills a frame of this stage: the last one.
  void fill(std::size_t stage, const FrameBuffer& frame) const;
  /// Fills frames of several stages, one each, of one round: in one turn after the other another one of those
  /// that are kept, at the time of the last one. The last ones, where not all of them came in each round.
  /// What is the same as in turn 0 is expected to be there by then.
  void fill(std::span<const std::size_t> stages, std::span<const FrameBuffer> frames, std::size_t turn) const;

 private:
  /// Of a stage.
  struct Kept {
    /// A ring.
    std::vector<TrialFrame> frames;
    std::size_t given = 0;

    void keep(const FrameView& frame, std::size_t most);
    /// The one that came `back` frames before the last one.
    [[nodiscard]] FrameView frame(std::size_t back) const {
      return frames[(given - 1 - back) % frames.size()].view();
    }
  };

  const Pipeline& pipeline_;
  std::vector<Kept> kept_;
};

}  // namespace takt::pipeline
