#pragma once
/// Assigns memory to the outputs of a rank, so that outputs with disjoint lifetimes share it.

#include <cstddef>
#include <limits>
#include <vector>

namespace takt::pipeline {

/// Steps from the producer of an output to its last consumer, both included. Where steps repeat in a circle,
/// `to` counts on beyond its end, by less than its length.
struct Lifetime {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// Returns a place for each lifetime: overlapping lifetimes have different places, and the number of places
/// is least. Places are numbered from 0. Among free places the most recently used one wins, because its
/// memory is the likeliest to be cached. `lifetimes` must be sorted by `from`. O(n^2) for n lifetimes.
///
/// `circle`: the steps 0 to `circle - 1` repeat. Lifetimes that go beyond the end share no place with each
/// other; the number of places is then at most twice the least one (Tucker 1975, circular-arc graphs).
[[nodiscard]] std::vector<std::size_t> share_places(
    const std::vector<Lifetime>& lifetimes, std::size_t circle = std::numeric_limits<std::size_t>::max());

}  // namespace takt::pipeline
