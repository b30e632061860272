#pragma once
/// Finds the sources of a stage's frames.

#include <cstddef>
#include <functional>
#include <vector>

namespace takt::pipeline {

/// Returns the sources among the ancestors of a stage, ascending; the stage itself if it has no inputs.
/// `inputs_of` returns the inputs of a stage. O(stages + inputs).
[[nodiscard]] std::vector<std::size_t> upstream_sources(
    std::size_t stage, const std::function<const std::vector<std::size_t>&(std::size_t)>& inputs_of);

}  // namespace takt::pipeline
