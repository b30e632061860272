#pragma once
/// Controls repeated trials that alternate between two or more variants.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "core/units.hpp"
#include "pipeline/constants.hpp"

namespace takt::pipeline {

/// Counts iterations: one for warm-up, then five within ten budgets, or up to fifty within one; at least one.
class TrialTurns {
 public:
  explicit TrialTurns(Time budget) : budget_(budget), start_(Clock::now()) {}

  /// Returns true if another iteration begins now.
  [[nodiscard]] bool begin() {
    constexpr Time::rep patience = 10;
    const Time allowed = begun_ <= least_calls ? patience * budget_ : budget_;
    if (begun_ > 1 && (begun_ > most_calls || Clock::now() >= start_ + allowed)) return false;
    ++begun_;
    return true;
  }
  /// Returns true if the current iteration counts.
  [[nodiscard]] bool counts() const { return begun_ > 1; }

 private:
  using Clock = std::chrono::steady_clock;
  Time budget_;
  Clock::time_point start_;
  std::size_t begun_ = 0;
};

/// Returns the upper median; `times` must not be empty.
[[nodiscard]] inline Time median(std::vector<Time> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace takt::pipeline
