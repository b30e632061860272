#pragma once
/// Kernels with several outputs. To all else a stage has one: the frames of such a kernel hold all its
/// outputs, one behind the other, and a stage for each output that somebody takes, a port, gives that one on.
/// So ranks, messages and schedules know of frames only; the price is a copy of each output.
///
/// A packed frame is elements of uint8: for each output a head (its FrameHeader, and whether it was given),
/// then its bytes, each a multiple of 128 bytes.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// The type of stages that take one output out of packed frames.
inline constexpr std::string_view port_type = "output";
/// The name of a kernel's first output, where it has several: the task `trigger` without more is
/// `trigger.frames`.
inline constexpr std::string_view first_output = "frames";

/// Of frames that hold outputs of these types. They come as often as `rate_hz` says.
[[nodiscard]] FrameType packed_type(std::span<const FrameType> outputs, double rate_hz);

/// `kernel`, which is configured and whose outputs have these types, as one that gives packed frames: one
/// whenever it gives an output.
[[nodiscard]] std::unique_ptr<Kernel> packing_kernel(std::unique_ptr<Kernel> kernel,
                                                     std::vector<FrameType> outputs);

/// Gives that output of packed frames, where they have it. O(its bytes).
[[nodiscard]] std::unique_ptr<Kernel> port_kernel(std::span<const FrameType> outputs, std::size_t port);

}  // namespace takt::pipeline
