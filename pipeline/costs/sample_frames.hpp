#pragma once
/// Samples a pipeline's frames, for tasks with data-dependent cost: tasks that process flagged, missing or
/// above-threshold data do more work on some frames than on noise.

#include <cstddef>
#include <span>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/trial_frames.hpp"

namespace takt::pipeline {

/// Sample frames of each source and kernel, from the first frames of the pipeline.
class SampleFrames {
 public:
  /// Runs sources and kernels for about `budget`: at least one iteration, and at most 64 after all of them
  /// have produced a frame. Keeps the last frames of each stage, as many as fit in 64 MiB together. Noise
  /// replaces live sources, sources with a rate of their own (trial_stages.hpp), and stages without output
  /// within that time. All frames are noise if they exceed 512 MiB or an eighth of the free memory, or
  /// without a budget. `checks_memory` enables the check of the kernels' writes (memory_check.hpp).
  SampleFrames(const Pipeline& pipeline, Time budget, bool checks_memory = false);

  /// Fills `frame` with the last sample of this stage.
  void fill(std::size_t stage, const FrameBuffer& frame) const;
  /// Fills frames of several stages, one each, from one iteration of the sampling. Each `turn` selects
  /// another of the stored iterations, with the time of the last one; if not every iteration has a frame of
  /// each stage, it uses the last frames. Data that equals that of turn 0 must be in place already.
  void fill(std::span<const std::size_t> stages, std::span<const FrameBuffer> frames, std::size_t turn) const;

 private:
  /// Stored frames of a stage.
  struct Kept {
    /// A ring buffer.
    std::vector<TrialFrame> frames;
    std::size_t given = 0;

    void keep(const FrameView& frame, std::size_t most);
    /// Returns the sample that came `back` frames before the last one.
    [[nodiscard]] FrameView frame(std::size_t back) const {
      return frames[(given - 1 - back) % frames.size()].view();
    }
  };

  const Pipeline& pipeline_;
  std::vector<Kept> kept_;
};

}  // namespace takt::pipeline
