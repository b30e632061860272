#pragma once
/// The memory that one rank's loop over all tasks goes through, for tasks that are measured alone.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/tiles/tiling.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

/// Frames where one rank that runs the whole pipeline has them: outputs of kernels share places as soon as
/// the one before has been used (shared_places.hpp), those of sources lie by themselves; what kernels hand
/// each other by tiles has no frame. What a task meets in the caches is then what the others leave there in
/// a run: a chain whose two places fit a core's own cache never leaves it, however many tasks it has.
class LoopMemory {
 public:
  /// The pipeline must outlive it.
  LoopMemory(const Pipeline& pipeline, const Tiling& tiling);

  /// Whether the stage's output has a frame.
  [[nodiscard]] bool has_frame(std::size_t stage) const {
    return frames_[stage].has_value() || outside_[stage].has_value();
  }
  /// Its frame, with a header as of a new one.
  [[nodiscard]] FrameBuffer frame(std::size_t stage);

  /// From now on its frame lies there, and only the stage itself goes through it: in a message, which another
  /// rank writes or reads. Tiles come there past the caches, or by plain stores.
  void put_outside(std::size_t stage, std::span<std::byte> place, bool past_caches = false);
  [[nodiscard]] bool is_past_caches(std::size_t stage) const { return is_past_caches_[stage]; }
  /// Undoes that.
  void take_back(std::size_t stage);

  /// What a source or sink took for a frame says whether it goes through its bytes at all: no core moves more
  /// than 200 of them in a nanosecond. One that lends frames which lie there, or only counts them, leaves
  /// the caches alone. Until this is said all of them go through theirs.
  void learn(std::size_t stage, Time cost);

  /// What the other one, of the same pipeline, was told.
  void learn_from(const LoopMemory& other) { goes_through_ = other.goes_through_; }

  /// Goes through memory as all stages but these do, in the order of the loop from the one behind the last of
  /// them to the one before the first. Of more than 64 MiB only what comes last: nothing before it is in a
  /// cache any more. `measured` are ascending.
  void run_others(std::span<const std::size_t> measured) const;
  /// Frames in the order in which the loop goes through them, each as often as it does; those whose stages
  /// leave theirs alone are not among them.
  [[nodiscard]] std::vector<std::span<std::byte>> frames_of_loop() const;
  /// The bytes that `run_others` goes through: for tests.
  [[nodiscard]] std::size_t bytes_of_others(std::span<const std::size_t> measured) const;

 private:
  /// Frames in the order in which the others go through them.
  [[nodiscard]] std::vector<std::size_t> passes_of_others(std::span<const std::size_t> measured) const;
  void add_passes(std::size_t stage, std::vector<std::size_t>& passes) const;

  const Pipeline& pipeline_;
  std::vector<bool> goes_through_;
  std::optional<sensors::FrameMemory> places_;
  std::vector<sensors::FrameMemory> of_sources_;
  /// By stage.
  std::vector<std::optional<std::span<std::byte>>> frames_, outside_;
  std::vector<bool> is_past_caches_;
  std::vector<FrameHeader> headers_;
};

}  // namespace takt::pipeline
