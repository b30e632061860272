#include "schedulers/bounds/area_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "schedulers/bounds/least_times.hpp"

namespace takt::schedulers {

namespace {

/// Speeds as integers in a common unit.
class WholeSpeeds {
 public:
  explicit WholeSpeeds(const std::vector<double>& speeds) {
    is_exact_ = std::ranges::all_of(speeds, [](double speed) {
      constexpr double tolerance = 1e-12;
      return std::abs(speed * decimals - std::round(speed * decimals)) <= speed * decimals * tolerance;
    });
    // Enough digits for the fastest processor, and few enough for products with times.
    constexpr int digits = 15, most_digits = 16;
    const double fastest = std::ranges::max(speeds);
    const int power = digits - static_cast<int>(std::ceil(std::log10(fastest)));
    unit_ = is_exact_ ? decimals : std::pow(10, std::clamp(power, 0, most_digits));
  }

  /// The integer that stands for speed 1.
  [[nodiscard]] Wide unit() const { return static_cast<Wide>(unit_); }
  [[nodiscard]] Wide at_least(double speed) const {
    constexpr double largest = 1e30;
    const double whole = std::min(largest, std::round(speed * unit_));
    return static_cast<Wide>(whole) + (is_exact_ ? 0 : 1);
  }
  [[nodiscard]] Wide at_most(double speed) const {
    return std::max<Wide>(0, at_least(speed) - (is_exact_ ? 0 : 2));
  }

 private:
  static constexpr double decimals = 1000;

  double unit_ = 1;
  bool is_exact_ = true;
};

}  // namespace

Time area_bound(std::vector<Time> free, Time work) {
  std::sort(free.begin(), free.end());
  Time least = Time::max();
  Time::rep count = 0;
  for (Time from : free) {
    if (from >= least) break;
    work += from;
    ++count;
    least = std::min(least, Time((work.count() + count - 1) / count));
  }
  return least;
}

AreaBound::AreaBound(const TaskGraph& graph, const logp::Machine& machine) {
  if (graph.has_work_table() || has_equal_processors(graph, machine)) {
    work_ = LeastTimes(graph, machine).sum().count();
    for (std::size_t p = 0; p < machine.processor_count(); ++p) speed_sums_.push_back(speed_sums_.back() + 1);
    return;
  }
  std::vector<double> speeds = machine.platform().speeds;
  std::ranges::sort(speeds, std::greater{});
  const WholeSpeeds whole(speeds);
  work_ = whole.unit() * graph.total_work().count();
  for (double speed : speeds) speed_sums_.push_back(speed_sums_.back() + whole.at_least(speed));
  slowest_ = whole.at_most(speeds.back());
}

Fraction AreaBound::mean(std::size_t used, std::uint32_t frames, Time overhead) const {
  return {work_ * frames + slowest_ * overhead.count(), speed_sums_[used]};
}

}  // namespace takt::schedulers
