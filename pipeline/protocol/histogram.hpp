#pragma once
/// Distributions of durations, in fixed memory.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// The non-empty buckets of a Histogram as (index, count): the form that travels between ranks.
using Buckets = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

/// Counts durations in log-linear buckets: 64 a power of two, so a quantile is within 1.6 % of the true
/// value. One thread records without locks; any thread may read meanwhile.
class Histogram {
 public:
  /// So many of this duration.
  void record(Time duration, std::uint64_t times = 1) {
    const std::int64_t value = std::max<std::int64_t>(duration.count(), 0);
    std::atomic<std::uint64_t>& count = counts_[bucket_of(static_cast<std::uint64_t>(value))];
    // One writer: a plain addition, made of two relaxed halves so that readers see whole values.
    count.store(count.load(std::memory_order_relaxed) + times, std::memory_order_relaxed);
  }

  [[nodiscard]] Buckets buckets() const;

  static constexpr std::uint64_t per_octave = 64;
  static constexpr std::size_t bucket_count = per_octave * 59;

 private:
  /// Values below 64 have a bucket each; from there on 64 buckets divide every power of two.
  [[nodiscard]] static constexpr std::uint32_t bucket_of(std::uint64_t value) {
    if (value < per_octave) return static_cast<std::uint32_t>(value);
    const int shift = static_cast<int>(std::bit_width(value)) - static_cast<int>(std::bit_width(per_octave));
    return static_cast<std::uint32_t>(per_octave * static_cast<std::uint64_t>(shift) + (value >> shift));
  }

  std::array<std::atomic<std::uint64_t>, bucket_count> counts_{};
};

/// A histogram at rest: what was recorded, merged over ranks.
class Distribution {
 public:
  /// Buckets that no Histogram has are left out.
  void merge(const Buckets& buckets);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The smallest duration that at least the share q of all does not exceed (to the bucket's width); 0 when
  /// empty.
  [[nodiscard]] Time quantile(double q) const;
  /// The number of durations in buckets that end at or below `limit`. Some durations just below it, by up to
  /// 1.6 %, are left out.
  [[nodiscard]] std::uint64_t at_most(Time limit) const;
  /// The sum of all durations, each counted as the end of its bucket. It never falls when more is recorded.
  [[nodiscard]] double sum_ns() const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
};

}  // namespace takt::pipeline
