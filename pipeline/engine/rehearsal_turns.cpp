#include "pipeline/engine/rehearsal_turns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "pipeline/planning/machine_state.hpp"

namespace takt::pipeline {

namespace {

/// Turns of ranks with processors of their own, at most.
constexpr std::size_t most_turns = 8;

/// Of values in ascending order; the mean of the two in the middle.
double median_of_sorted(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Of their mean, as part of it.
double standard_error(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1) / count) / mean;
}

}  // namespace

void RehearsalTurns::add(double hertz, std::optional<double> hand_over_ns) {
  ++tried_;
  if (hertz > 0) turns_.push_back({hertz, hand_over_ns});
}

std::vector<double> RehearsalTurns::of_last_state() const {
  std::vector<double> rates;
  for (const Turn& turn : turns_)
    if (kind_ != Turns::alone || are_of_one_state(turn.hand_over_ns, turns_.back().hand_over_ns))
      rates.push_back(turn.hertz);
  return rates;
}

std::vector<double> RehearsalTurns::counted() const {
  constexpr double undisturbed = 0.8;
  constexpr std::size_t most_counted = 5;
  std::vector<double> rates = of_last_state();
  if (kind_ == Turns::alone && !rates.empty()) {
    const double least = undisturbed * *std::ranges::max_element(rates);
    std::erase_if(rates, [&](double rate) { return rate < least; });
    rates.erase(rates.begin(),
                rates.end() - static_cast<std::ptrdiff_t>(std::min(rates.size(), most_counted)));
  }
  std::ranges::sort(rates);
  return rates;
}

bool RehearsalTurns::are_doubtful() const {
  /// By how much the turns of a plan differ on a steady machine.
  constexpr double usual_spread = 1.08;
  constexpr std::size_t most_shared = 3, most_own = 5;
  constexpr double disappointing = 0.85, strange = 0.7;
  if (turns_.size() < 2) return false;
  if (kind_ == Turns::uneven) return tried_ < most_own;
  std::vector<double> rates = of_last_state();
  std::ranges::sort(rates);
  if (rates.size() < 2) return tried_ < most_turns;
  if (kind_ == Turns::crowded) return tried_ < most_shared && rates.back() > usual_spread * rates.front();
  if (tried_ < most_turns && rates.back() > usual_spread * rates[rates.size() - 2]) return true;
  const double promise_kept = settled() / promised_hz_;
  return tried_ < (promise_kept < strange ? most_turns : most_own) && promise_kept < disappointing;
}

bool RehearsalTurns::are_rough() const {
  if (kind_ != Turns::alone || turns_.empty() || tried_ >= most_turns) return false;
  constexpr double rough = 0.015;
  const std::vector<double> rates = counted();
  // Two may agree by chance.
  return rates.size() < 2 || standard_error(rates) > (rates.size() == 2 ? rough / 2 : rough);
}

double RehearsalTurns::settled() const {
  const std::vector<double> rates = counted();
  if (rates.empty()) return 0;
  if (kind_ == Turns::uneven) {
    double periods = 0;
    for (const double hertz : rates) periods += 1 / hertz;
    return static_cast<double>(rates.size()) / periods;
  }
  return median_of_sorted(rates);
}

std::optional<Spread> RehearsalTurns::spread() const {
  if (turns_.empty()) return std::nullopt;
  const auto [slowest, fastest] = std::ranges::minmax(turns_, {}, &Turn::hertz);
  return Spread{slowest.hertz, fastest.hertz};
}

std::optional<double> RehearsalTurns::hand_over_ns() const {
  return turns_.empty() ? std::nullopt : turns_.back().hand_over_ns;
}

}  // namespace takt::pipeline
