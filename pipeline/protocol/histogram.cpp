#include "pipeline/protocol/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace takt::pipeline {

namespace {

/// The largest value of a bucket.
std::uint64_t upper_end(std::uint32_t bucket) {
  if (bucket < Histogram::per_octave) return bucket;
  const std::uint64_t shift = bucket / Histogram::per_octave - 1;
  const std::uint64_t mantissa = Histogram::per_octave + bucket % Histogram::per_octave;
  return ((mantissa + 1) << shift) - 1;
}

}  // namespace

Buckets Histogram::buckets() const {
  Buckets result;
  for (std::uint32_t i = 0; i < bucket_count; ++i)
    if (const std::uint64_t count = counts_[i].load(std::memory_order_relaxed); count > 0)
      result.emplace_back(i, count);
  return result;
}

void Distribution::merge(const Buckets& buckets) {
  for (const auto& [index, count] : buckets) {
    if (index >= Histogram::bucket_count) continue;
    counts_.resize(std::max<std::size_t>(counts_.size(), index + 1));
    counts_[index] += count;
    count_ += count;
  }
}

Time Distribution::quantile(double q) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::uint32_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (counts_[i] > 0 && seen >= wanted) return Time(static_cast<Time::rep>(upper_end(i)));
  }
  return Time{0};
}

std::uint64_t Distribution::at_most(Time limit) const {
  std::uint64_t seen = 0;
  for (std::uint32_t i = 0; i < counts_.size() && upper_end(i) <= static_cast<std::uint64_t>(limit.count());
       ++i)
    seen += counts_[i];
  return seen;
}

double Distribution::sum_ns() const {
  double sum = 0;
  for (std::uint32_t i = 0; i < counts_.size(); ++i)
    sum += static_cast<double>(counts_[i]) * static_cast<double>(upper_end(i));
  return sum;
}

}  // namespace takt::pipeline
