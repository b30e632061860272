#pragma once
/// Checks how a data-parallel kernel divides its frames.

#include <optional>
#include <span>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// Returns the kernel's distribution, limited by the sizes of the axes. Returns nothing if it has none or if
/// frames cannot be divided: those of integers hold flags of missing parts after their elements. Throws
/// std::logic_error if it names an unknown axis.
[[nodiscard]] std::optional<BlockDistribution> checked_distribution(const Kernel& kernel,
                                                                    std::span<const FrameType> inputs,
                                                                    const FrameType& output);

}  // namespace takt::pipeline
