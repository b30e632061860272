#pragma once
/// How the frames of a data-parallel kernel are divided.

#include <optional>
#include <span>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// The kernel's distribution, with the axes' sizes as limits. Nothing where it has none, or where frames
/// cannot be divided: those of integers carry flags of missing parts behind their elements. Throws
/// std::logic_error where it names an axis that there is not.
[[nodiscard]] std::optional<BlockDistribution> checked_distribution(const Kernel& kernel,
                                                                    std::span<const FrameType> inputs,
                                                                    const FrameType& output);

}  // namespace takt::pipeline
