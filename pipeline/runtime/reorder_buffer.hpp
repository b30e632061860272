#pragma once
/// Keeps the results of frames that are ahead of their order.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/units.hpp"
#include "pipeline/runtime/datum.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

/// A ring of copies, in the order of their frames. All memory is allocated at construction.
class ReorderBuffer {
 public:
  /// Makes room for so many frames, each with outputs of these sizes.
  ReorderBuffer(std::size_t frames, std::vector<std::size_t> output_bytes);

  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  [[nodiscard]] bool is_full() const { return count_ == frames_.size(); }
  /// Copies the outputs of a frame that comes after all frames here. Requires that it is not full.
  void keep(std::uint64_t frame, std::span<const Datum> outputs);
  /// Returns whether the oldest frame here is this one.
  [[nodiscard]] bool has_next(std::uint64_t frame) const {
    return count_ > 0 && frames_[first_].number == frame;
  }
  /// Returns the outputs of the oldest frame, valid until that is dropped.
  [[nodiscard]] std::span<const Datum> oldest() const { return frames_[first_].outputs; }
  void drop_oldest();

 private:
  struct Frame {
    std::uint64_t number = 0;
    std::vector<Datum> outputs;
    std::vector<sensors::FrameHeader> headers;
  };

  std::vector<std::size_t> output_bytes_;
  std::vector<Frame> frames_;
  std::size_t first_ = 0, count_ = 0;
  sensors::FrameMemory memory_;
};

}  // namespace takt::pipeline
