#pragma once
/// Kernels whose result is of several frames, and differ in what they make of them.

#include "pipeline/kernel.hpp"
#include "pipeline/kernels/frame_group.hpp"

namespace takt::pipeline {

class GatheringKernel : public Kernel {
 public:
  /// With one frame to a result it keeps nothing.
  [[nodiscard]] bool is_stateless() const override { return group_.frames() == 1; }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    return take_in(*inputs.front().header, inputs, output);
  }

  /// The frames of a group that has not become whole.
  Outcome finish(const FrameBuffer& output) override {
    if (group_.count() == 0) return Outcome::absorbed;
    give(output);
    return Outcome::produced;
  }

 protected:
  explicit GatheringKernel(std::size_t frames = 1) : group_(frames) {}

  /// Frames of one time, of which `header` tells.
  Outcome take_in(const sensors::FrameHeader& header, std::span<const FrameView> inputs,
                  const FrameBuffer& output) {
    const bool is_given = group_.add(
        header, [&] { gather(header, inputs); }, [&] { give(output); });
    return is_given ? Outcome::produced : Outcome::absorbed;
  }

  /// Adds them to what was gathered.
  virtual void gather(const sensors::FrameHeader& header, std::span<const FrameView> inputs) = 0;
  /// Writes what was gathered, with the header that group_.take() gives, and begins anew.
  virtual void give(const FrameBuffer& output) = 0;

  FrameGroup group_;
};

}  // namespace takt::pipeline
