#pragma once
/// Prepares kernels for measurement on typical frames, in the memory of one rank's loop.

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/loop_memory.hpp"
#include "pipeline/costs/run_as_measured.hpp"
#include "pipeline/costs/sample_frames.hpp"
#include "pipeline/tiles/tiled_run.hpp"

namespace takt::pipeline {

/// A kernel, or a group of kernels connected by tiles, with its state, so that a measurement can be
/// resumed.
class KernelTrial {
 public:
  KernelTrial() = default;
  KernelTrial(const KernelTrial&) = delete;
  KernelTrial& operator=(const KernelTrial&) = delete;
  virtual ~KernelTrial() = default;

  /// Returns the measured stages in ascending order.
  [[nodiscard]] virtual std::span<const std::size_t> stages() const = 0;
  /// Fills the inputs with typical frames that differ in each iteration (SampleFrames::fill): other trials
  /// share these buffers and have overwritten them.
  virtual void fill(std::size_t turn = 0) = 0;
  /// Call before each `work`: accesses the frames of the rest of the loop.
  virtual void prepare() = 0;
  /// Processes one frame.
  virtual void work() = 0;
  /// Runs `all`, a measurement made of the calls above, so that exceptions of kernels name the task.
  virtual void measure(const std::function<void()>& all) { all(); }
  /// Returns the times of several stages for the last frame, 0 without input; empty for a single stage.
  [[nodiscard]] virtual std::vector<Time> parts() const { return {}; }
  /// Returns true if the i-th stage produced output for the last frame.
  [[nodiscard]] virtual bool gave(std::size_t i) const = 0;
};

/// Make a trial. The pipeline, the memory and the samples must outlive it. `checks_memory` enables the check
/// of the kernels' writes (memory_check.hpp).
[[nodiscard]] std::unique_ptr<KernelTrial> trial_of_kernel(const Pipeline& pipeline, std::size_t stage,
                                                           LoopMemory& memory, const SampleFrames& samples,
                                                           bool checks_memory);
[[nodiscard]] std::unique_ptr<KernelTrial> trial_of_tiles(const Pipeline& pipeline, TileGroup group,
                                                          LoopMemory& memory, const SampleFrames& samples,
                                                          bool checks_memory);

}  // namespace takt::pipeline
