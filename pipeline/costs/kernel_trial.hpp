#pragma once
/// Kernels made ready to be measured on frames like the pipeline's own, in the memory of one rank's loop.

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

/// A kernel, or kernels that are measured together as they hand each other tiles; with their state, so that
/// a measurement can be taken up again later.
class KernelTrial {
 public:
  KernelTrial() = default;
  KernelTrial(const KernelTrial&) = delete;
  KernelTrial& operator=(const KernelTrial&) = delete;
  virtual ~KernelTrial() = default;

  /// What is measured; ascending.
  [[nodiscard]] virtual std::span<const std::size_t> stages() const = 0;
  /// Gives the inputs frames like their own, in each turn others (SampleFrames::fill): other trials, which
  /// share places with this one, have written there.
  virtual void fill(std::size_t turn = 0) = 0;
  /// Before each call: the rest of the loop goes through its frames.
  virtual void prepare() = 0;
  /// One frame.
  virtual void work() = 0;
  /// Does `all` of a measurement, calls of the above: what kernels throw in it names the task.
  virtual void measure(const std::function<void()>& all) { all(); }
  /// Of the last frame, what each of several stages took, 0 of one that had none; empty of one stage.
  [[nodiscard]] virtual std::vector<Time> parts() const { return {}; }
  /// Whether the i-th of its stages gave a frame for the last one.
  [[nodiscard]] virtual bool gave(std::size_t i) const = 0;
};

/// The pipeline, the memory and the samples must outlive it. With `checks_memory` what kernels write is
/// watched (memory_check.hpp).
[[nodiscard]] std::unique_ptr<KernelTrial> trial_of_kernel(const Pipeline& pipeline, std::size_t stage,
                                                           LoopMemory& memory, const SampleFrames& samples,
                                                           bool checks_memory);
[[nodiscard]] std::unique_ptr<KernelTrial> trial_of_tiles(const Pipeline& pipeline, TileGroup group,
                                                          LoopMemory& memory, const SampleFrames& samples,
                                                          bool checks_memory);

}  // namespace takt::pipeline
