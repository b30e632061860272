#pragma once
/// Supports kernels with several outputs. The rest of the runtime knows one output per stage: the frames of
/// such a kernel pack all outputs, and for each output in use a stage, its port, extracts it. So ranks,
/// messages and schedules handle only frames; the price is a copy of each output.
///
/// A packed frame consists of uint8 elements: for each output a head (its FrameHeader, and whether it was
/// filled), then its bytes, each a multiple of 128 bytes.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// Type name of the stages that extract one output from packed frames.
inline constexpr std::string_view port_type = "output";
/// Name of the first output of a kernel with several: the task `trigger` alone means
/// `trigger.frames`.
inline constexpr std::string_view first_output = "frames";

/// Returns the type of frames that pack outputs of these types, at `rate_hz`.
[[nodiscard]] FrameType packed_type(std::span<const FrameType> outputs, double rate_hz);

/// Wraps the configured `kernel`, whose outputs have these types, as one with packed frames: one frame for
/// each call that fills an output.
[[nodiscard]] std::unique_ptr<Kernel> packing_kernel(std::unique_ptr<Kernel> kernel,
                                                     std::vector<FrameType> outputs);

/// Returns a kernel that extracts this output from packed frames that contain it. O(its bytes).
[[nodiscard]] std::unique_ptr<Kernel> port_kernel(std::span<const FrameType> outputs, std::size_t port);

}  // namespace takt::pipeline
