#pragma once
/// Frames of noise for stages that are tried out before a run, in caches like those of a run.

#include <cstddef>
#include <span>

#include "pipeline/calls/canary.hpp"
#include "pipeline/config/pipeline.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

class TrialFrame {
 public:
  /// With a canary behind it.
  explicit TrialFrame(Bytes size) : size_(size.count), memory_(1, Bytes{size.count + canary_bytes}) {}
  [[nodiscard]] FrameBuffer buffer() { return {&header_, memory_.frame(0).first(size_)}; }
  [[nodiscard]] FrameView view() const { return {&header_, memory_.frame(0).first(size_)}; }

 private:
  std::size_t size_;
  sensors::FrameMemory memory_;
  FrameHeader header_;
};

/// Noise that is a valid number for any element type; always the same.
void fill_with_noise(const FrameBuffer& frame, ElementType element);

/// Brings memory into the nearest cache, written by this core.
void touch(std::span<std::byte> bytes);
/// The same, only read.
void read_through(std::span<const std::byte> bytes);

/// What the other tasks of a pipeline do to the caches between two runs of one task: their inputs and outputs
/// go through them. More than fills a core's share of the largest cache changes nothing any more.
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
