#pragma once
/// Base of kernels that compute one result from several frames.

#include "pipeline/kernel.hpp"
#include "pipeline/kernels/frame_group.hpp"

namespace takt::pipeline {

class GatheringKernel : public Kernel {
 public:
  /// With one frame per result it is stateless.
  [[nodiscard]] bool is_stateless() const override { return group_.frames() == 1; }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    return take_in(*inputs.front().header, inputs, output);
  }

  /// Outputs an incomplete group.
  Outcome finish(const FrameBuffer& output) override {
    if (group_.count() == 0) return Outcome::absorbed;
    give(output);
    return Outcome::produced;
  }

 protected:
  explicit GatheringKernel(std::size_t frames = 1) : group_(frames) {}

  /// Adds frames of one time with the header `header`.
  Outcome take_in(const sensors::FrameHeader& header, std::span<const FrameView> inputs,
                  const FrameBuffer& output) {
    const bool is_given = group_.add(
        header, [&] { gather(header, inputs); }, [&] { give(output); });
    return is_given ? Outcome::produced : Outcome::absorbed;
  }

  /// Adds the data of frames to the group.
  virtual void gather(const sensors::FrameHeader& header, std::span<const FrameView> inputs) = 0;
  /// Writes the result of the group, with the header from group_.take(), and starts a new group.
  virtual void give(const FrameBuffer& output) = 0;

  FrameGroup group_;
};

}  // namespace takt::pipeline
