#pragma once
/// Loops whose iterations run in parallel, and sums over them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/tasking/pool.hpp"

namespace takt::tasking {

namespace detail {

template <class F>
void halve(std::int64_t begin, std::int64_t end, std::int64_t grain, const F& body) {
  while (end - begin > grain) {
    const std::int64_t middle = begin + (end - begin) / 2;
    spawn([middle, end, grain, &body] { halve(middle, end, grain, body); });
    end = middle;
  }
  if (begin < end) body(begin, end);
}

}  // namespace detail

/// Calls `body(first, last)` for ranges that cover [begin, end), each of at most `grain` indices, and returns
/// when all have ended; throws the first exception. Grain 0: eight ranges a worker.
template <class F>
void parallel_for_ranges(std::int64_t begin, std::int64_t end, const F& body, std::int64_t grain = 0) {
  if (begin >= end) return;
  if (grain <= 0) {
    detail::current_task();
    const auto workers = static_cast<std::int64_t>(detail::Worker::here()->team().workers.size());
    grain = std::max<std::int64_t>(1, (end - begin) / (8 * workers));
  }
  wait(start([=, &body] { detail::halve(begin, end, grain, body); }));
}

/// Calls `body(i)` for each i of [begin, end).
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, const F& body, std::int64_t grain = 0) {
  parallel_for_ranges(
      begin, end,
      [&body](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) body(i);
      },
      grain);
}

/// `combine` over `map(i)` for i of [begin, end), in ranges of `grain` (0: 128 ranges). The order of the
/// combinations depends on the range and the grain alone, so a sum of floating-point numbers is the same with
/// any number of workers.
template <class T, class Map, class Combine>
T reduce(std::int64_t begin, std::int64_t end, T identity, const Map& map, const Combine& combine,
         std::int64_t grain = 0) {
  if (begin >= end) return identity;
  if (grain <= 0) grain = std::max<std::int64_t>(1, (end - begin + 127) / 128);
  std::vector<T> parts(static_cast<std::size_t>((end - begin + grain - 1) / grain), identity);
  parallel_for(0, static_cast<std::int64_t>(parts.size()), [&](std::int64_t part) {
    const std::int64_t first = begin + part * grain;
    const std::int64_t last = std::min(end, first + grain);
    T sum = identity;
    for (std::int64_t i = first; i < last; ++i) sum = combine(std::move(sum), map(i));
    parts[static_cast<std::size_t>(part)] = std::move(sum);
  });
  T sum = std::move(identity);
  for (T& part : parts) sum = combine(std::move(sum), std::move(part));
  return sum;
}

}  // namespace takt::tasking
