#pragma once
/// Assigns memory to the outputs of a rank, so that outputs with disjoint lifetimes share it.

#include <cstddef>
#include <vector>

namespace takt::pipeline {

/// Steps from the producer of an output to its last consumer, both included.
struct Lifetime {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// Returns a place for each lifetime: overlapping lifetimes have different places, and the number of places
/// is least. Places are numbered from 0. Among free places the most recently used one wins, because its
/// memory is the likeliest to be cached. `lifetimes` must be sorted by `from`. O(n^2) for n lifetimes.
[[nodiscard]] std::vector<std::size_t> share_places(const std::vector<Lifetime>& lifetimes);

}  // namespace takt::pipeline
