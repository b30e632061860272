#pragma once
/// How often two or more ways of doing something are tried by turns.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "core/units.hpp"
#include "pipeline/constants.hpp"

namespace takt::pipeline {

/// The first turn warms up, and at least one follows. Five are had in ten budgets, up to fifty in one.
class TrialTurns {
 public:
  explicit TrialTurns(Time budget) : budget_(budget), start_(Clock::now()) {}

  /// Whether there is another turn, which begins now.
  [[nodiscard]] bool begin() {
    constexpr Time::rep patience = 10;
    const Time allowed = begun_ <= least_calls ? patience * budget_ : budget_;
    if (begun_ > 1 && (begun_ > most_calls || Clock::now() >= start_ + allowed)) return false;
    ++begun_;
    return true;
  }
  /// Whether the turn that was begun last is one that counts.
  [[nodiscard]] bool counts() const { return begun_ > 1; }

 private:
  using Clock = std::chrono::steady_clock;
  Time budget_;
  Clock::time_point start_;
  std::size_t begun_ = 0;
};

/// The upper one of two; there must be one.
[[nodiscard]] inline Time median(std::vector<Time> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace takt::pipeline
