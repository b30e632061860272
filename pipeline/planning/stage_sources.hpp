#pragma once
/// Where a stage's frames come from.

#include <cstddef>
#include <functional>
#include <vector>

namespace takt::pipeline {

/// The sources that a stage descends from, ascending; itself where it has no inputs. `inputs_of` gives those
/// of a stage. O(stages + inputs).
[[nodiscard]] std::vector<std::size_t> sources_behind(
    std::size_t stage, const std::function<const std::vector<std::size_t>&(std::size_t)>& inputs_of);

}  // namespace takt::pipeline
