#pragma once
/// Frames of noise for measurements of stages before a run, with caches in the state of a run.

#include <cstddef>
#include <span>

#include "pipeline/calls/canary.hpp"
#include "pipeline/config/pipeline.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

class TrialFrame {
 public:
  /// Allocates a canary after the frame.
  explicit TrialFrame(Bytes size) : size_(size.count), memory_(1, Bytes{size.count + canary_bytes}) {}
  [[nodiscard]] FrameBuffer buffer() { return {&header_, memory_.frame(0).first(size_)}; }
  [[nodiscard]] FrameView view() const { return {&header_, memory_.frame(0).first(size_)}; }

 private:
  std::size_t size_;
  sensors::FrameMemory memory_;
  FrameHeader header_;
};

/// Fills a frame with reproducible noise that is valid for any element type.
void fill_with_noise(const FrameBuffer& frame, ElementType element);

/// Brings memory into the nearest cache by writing.
void touch(std::span<std::byte> bytes);

/// Models the effect of the pipeline's other tasks on the caches between two calls of one task: it accesses
/// their inputs and outputs. Limited to a core's share of the largest cache, as more has no further effect.
class OtherTasks {
 public:
  OtherTasks(const Pipeline& pipeline, std::span<const std::size_t> measured);
  OtherTasks(const Pipeline& pipeline, std::size_t measured)
      : OtherTasks(pipeline, std::span(&measured, 1)) {}
  void run() { touch(memory_.frame(0)); }

 private:
  sensors::FrameMemory memory_;
};

}  // namespace takt::pipeline
