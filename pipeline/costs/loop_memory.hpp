#pragma once
/// Models the memory that one rank's loop over all tasks accesses, for measurements of single tasks.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/tiles/tiling.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

/// Frames at the places where one rank that runs the whole pipeline has them. Outputs of kernels share memory
/// after their last use (shared_places.hpp), those of sources are separate, and tiled outputs need no frame.
/// A task then finds the caches as the other tasks leave them in a run: a chain whose two buffers fit a
/// core's cache never leaves it, however long it is.
class LoopMemory {
 public:
  /// The pipeline must outlive it.
  LoopMemory(const Pipeline& pipeline, const Tiling& tiling);

  /// Returns true if the stage's output has a frame.
  [[nodiscard]] bool has_frame(std::size_t stage) const { return frames_[stage].has_value(); }
  /// Returns its frame, with a new header.
  [[nodiscard]] FrameBuffer frame(std::size_t stage);

  /// Derives from the time of a source or sink whether it accesses the bytes of its frame: no core moves more
  /// than 200 bytes per nanosecond. A stage that lends existing frames, or only counts them, leaves the
  /// caches unchanged. Until this call every stage is assumed to access its frames.
  void learn(std::size_t stage, Time cost);

  /// Accesses memory as all stages except `measured` do, in the order of the loop, from the stage after the
  /// last of them to the stage before the first. Limited to the last 64 MiB, since earlier data has left the
  /// caches. `measured` must be ascending.
  void run_others(std::span<const std::size_t> measured) const;
  /// Returns the bytes that `run_others` accesses, for tests.
  [[nodiscard]] std::size_t bytes_of_other_stages(std::span<const std::size_t> measured) const;

 private:
  /// Returns the frames in the order in which the other stages access them.
  [[nodiscard]] std::vector<std::size_t> passes_of_others(std::span<const std::size_t> measured) const;
  void add_passes(std::size_t stage, std::vector<std::size_t>& passes) const;

  const Pipeline& pipeline_;
  std::vector<bool> goes_through_;
  std::optional<sensors::FrameMemory> places_;
  std::vector<sensors::FrameMemory> of_sources_;
  /// By stage.
  std::vector<std::optional<std::span<std::byte>>> frames_;
  std::vector<FrameHeader> headers_;
};

}  // namespace takt::pipeline
