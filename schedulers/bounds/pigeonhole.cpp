#include "schedulers/bounds/pigeonhole.hpp"

#include <algorithm>
#include <functional>

#include "schedulers/bounds/least_times.hpp"

namespace takt::schedulers {

namespace {

/// Relative error bound of floating-point products.
constexpr double work_tolerance = 1e-12;
/// Number of pieces per processor up to which the fit on processors of different speeds is tested.
constexpr std::size_t pieces_per_processor = 4;
/// Machine words that subset sums may access: a few milliseconds.
constexpr double most_words = 4e6;

void sort_and_sum(std::vector<Time>& values, std::vector<Time>& sums) {
  std::ranges::sort(values, std::greater{});
  for (Time value : values) sums.push_back(sums.back() + value);
}

}  // namespace

Pieces::Pieces(const TaskGraph& graph, const logp::Machine& machine)
    : are_equal_(has_equal_processors(graph, machine)) {
  if (are_equal_ || graph.has_work_table()) return;
  speeds_ = machine.platform().speeds;
  std::ranges::sort(speeds_, std::greater{});
}

void Pieces::add(Time time, Time work, std::uint32_t count) {
  times_.insert(times_.end(), count, time);
  if (!speeds_.empty()) works_.insert(works_.end(), count, work);
}

void Pieces::close() {
  sort_and_sum(times_, sums_);
  sort_and_sum(works_, work_sums_);
}

Time Pieces::pigeonhole(std::size_t used) const {
  if (!speeds_.empty()) {
    Time::rep no = 0, yes = sum().count();
    while (yes - no > 1) {
      const Time::rep middle = no + (yes - no) / 2;
      (fit_on_speeds(used, Time(middle)) ? yes : no) = middle;
    }
    return Time(yes);
  }
  Time most{0};
  for (std::size_t k = 1; k * used + 1 <= times_.size(); ++k)
    most = std::max(most, sums_[k * used + 1] - sums_[k * used - k]);
  return most;
}

/// A processor takes at most as many of the m largest pieces as it can take of the smallest of them. If these
/// numbers sum up to less than m, the pieces do not fit.
bool Pieces::fit_on_speeds(std::size_t used, Time period) const {
  const std::size_t most = std::min(works_.size(), pieces_per_processor * used);
  for (std::size_t m = 1; m <= most; ++m) {
    std::size_t taken = 0;
    for (std::size_t p = 0; p < used && taken < m; ++p) {
      const double work = static_cast<double>(period.count()) * speeds_[p] * (1 + work_tolerance);
      std::size_t count = 0;
      while (count < m - taken &&
             static_cast<double>((work_sums_[m] - work_sums_[m - count - 1]).count()) <= work)
        ++count;
      taken += count;
    }
    if (taken < m) return false;
  }
  return true;
}

/// Bit s of `reached` is set if some pieces sum up to s.
Time Pieces::subset_sum(Time at_least) const {
  if (!are_equal_ || times_.empty()) return at_least;
  constexpr std::size_t word_bits = 64;
  const double bits = static_cast<double>(at_least.count()) + static_cast<double>(times_.front().count());
  if (bits / word_bits * static_cast<double>(times_.size()) > most_words) return at_least;

  const auto least = static_cast<std::size_t>(at_least.count());
  std::vector<std::uint64_t> reached(static_cast<std::size_t>(bits) / word_bits + 1);
  auto is_reached = [&](std::size_t sum) { return (reached[sum / word_bits] >> sum % word_bits & 1) != 0; };
  reached[0] = 1;
  for (Time time : times_) {
    const auto shift = static_cast<std::size_t>(time.count());
    const std::size_t words = shift / word_bits, rest = shift % word_bits;
    for (std::size_t i = reached.size(); i-- > words;) {
      std::uint64_t moved = reached[i - words] << rest;
      if (rest > 0 && i > words) moved |= reached[i - words - 1] >> (word_bits - rest);
      reached[i] |= moved;
    }
    if (is_reached(least)) return at_least;
  }
  std::size_t sum = least;
  while (!is_reached(sum)) ++sum;
  return Time(sum);
}

}  // namespace takt::schedulers
