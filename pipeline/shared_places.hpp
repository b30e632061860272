#pragma once
/// Which of a rank's outputs may lie in the same memory, one after the other.

#include <cstddef>
#include <vector>

namespace takt::pipeline {

/// From the step that makes an output to the last one that uses it, both included.
struct Lifetime {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// A place for each lifetime, such that no two that overlap share one; as few places as possible, numbered
/// from 0. Of those that are free, the one used last is taken: its memory is the likeliest to be in the
/// cache. `lifetimes` are in the order of `from`. O(n^2) for n lifetimes.
[[nodiscard]] std::vector<std::size_t> share_places(const std::vector<Lifetime>& lifetimes);

}  // namespace takt::pipeline
