#include "pipeline/engine/rehearsal_turns.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace takt::pipeline {

namespace {

/// By how much the turns of a plan differ on a steady machine.
constexpr double usual_spread = 1.08;

/// Of values in ascending order; the mean of the two in the middle.
double median_of_sorted(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

void RehearsalTurns::add(double hertz) {
  ++tried_;
  if (hertz > 0) turns_.insert(std::ranges::upper_bound(turns_, hertz), hertz);
}

bool RehearsalTurns::are_doubtful() const {
  constexpr std::size_t most_shared = 3, most_own = 5;
  constexpr double disappointing = 0.85;
  if (turns_.size() < 2) return false;
  if (kind_ == Turns::uneven) return tried_ < most_own;
  if (kind_ == Turns::crowded) return tried_ < most_shared && turns_.back() > usual_spread * turns_.front();
  const bool is_fastest_alone = turns_.back() > usual_spread * turns_[turns_.size() - 2];
  return tried_ < most_own && (is_fastest_alone || settled() < disappointing * promised_hz_);
}

double RehearsalTurns::settled() const {
  if (turns_.empty()) return 0;
  if (kind_ == Turns::uneven) {
    double periods = 0;
    for (const double hertz : turns_) periods += 1 / hertz;
    return static_cast<double>(turns_.size()) / periods;
  }
  std::span<const double> counted = turns_;
  if (kind_ == Turns::alone) {
    const auto first = std::ranges::lower_bound(turns_, turns_.back() / usual_spread);
    counted = counted.subspan(static_cast<std::size_t>(first - turns_.begin()));
  }
  return median_of_sorted(counted);
}

}  // namespace takt::pipeline
