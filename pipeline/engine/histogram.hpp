#pragma once
/// Distributions of durations, in fixed memory.

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// Counts durations in log-linear buckets: 64 a power of two, so a quantile is within 1.6 % of the true
/// value. One thread records without locks; any thread may read meanwhile.
class Histogram {
 public:
  /// So many of this duration.
  void record(Time duration, std::uint64_t times = 1);

  /// Non-empty buckets as (index, count): the form that travels between ranks.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint64_t>> buckets() const;

  static constexpr std::size_t bucket_count = std::size_t{64} * 59;

 private:
  std::array<std::atomic<std::uint64_t>, bucket_count> counts_{};
};

/// A histogram at rest: what was recorded, merged over ranks.
class Distribution {
 public:
  /// Buckets that no Histogram has are left out.
  void merge(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& buckets);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The smallest duration that at least the share q of all does not exceed (to the bucket's width); 0 when
  /// empty.
  [[nodiscard]] Time quantile(double q) const;
  /// How many are in buckets that end at this duration or below it: of those just below, up to 1.6 % of the
  /// duration away, some are left out.
  [[nodiscard]] std::uint64_t at_most(Time limit) const;
  /// The sum, each as long as its bucket's end; it never falls when more is recorded.
  [[nodiscard]] double sum_ns() const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
};

}  // namespace takt::pipeline
