#include "schedulers/bounds/packing_bound.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "schedulers/bounds/least_cost.hpp"
#include "schedulers/search/components.hpp"

namespace takt::schedulers {

namespace {

/// Of all knapsacks, for one round; for all rounds.
constexpr double most_cells = 2e6, most_steps = 3e8;
constexpr int most_price_rounds = 150, most_idle_rounds = 10;
/// Floating-point sums are wrong by far less than this, relatively.
constexpr double packing_tolerance = 1e-9;

class TaskPrices {
 public:
  explicit TaskPrices(const Workload& workload)
      : workload_(workload), members_(workload.class_count(), 0.0), demand_(workload.item_count()) {
    for (ProcessorId p : workload.machine().processors()) ++members_[workload.class_of(p)];
    for (std::size_t item = 0; item < workload.item_count(); ++item) {
      double price = 0;
      for (std::uint32_t c = 0; c < members_.size(); ++c)
        price += static_cast<double>(workload.times(c)[item].count());
      price_.push_back(price);
    }
  }

  /// Whether some prices prove that not all tasks fit into knapsacks of this size. The prices stay, as a
  /// beginning for other sizes.
  bool prove_too_small(Time size) {
    double scale = 1;
    std::vector<double> best_price = price_;
    double best = -1;
    for (int round = 0, idle = 0; round < most_price_rounds && steps_ < most_steps; ++round) {
      double all = 0, taken = 0;
      for (double price : price_) all += price;
      if (all <= 0) return false;
      std::ranges::fill(demand_, 0.0);
      for (std::uint32_t c = 0; c < members_.size(); ++c) taken += members_[c] * fill(c, size);
      const double missing = (all - taken) / all;
      if (missing > packing_tolerance) return true;
      if (missing > best) {
        best = missing;
        best_price = price_;
        idle = 0;
      } else if (++idle == most_idle_rounds) {
        scale /= 2;
        price_ = best_price;
        idle = 0;
      }
      change(all, missing, scale);
    }
    price_ = std::move(best_price);
    return false;
  }

 private:
  /// Polyak's step, for a value a little above zero.
  void change(double all, double missing, double scale) {
    double square = 0;
    for (double demand : demand_) square += (1 - demand) * (1 - demand);
    if (square == 0) return;
    const double step = scale * all * (0.01 - missing) / square;
    for (std::size_t item = 0; item < price_.size(); ++item)
      price_[item] = std::max(0.0, price_[item] + step * (1 - demand_[item]));
  }

  /// The best knapsack for a class; its tasks are demanded by all members of the class.
  double fill(std::uint32_t c, Time size) {
    const std::vector<Time>& times = workload_.times(c);
    const auto room = static_cast<std::size_t>(size.count()) + 1;
    value_.assign(room, 0.0);
    is_taken_.assign(room * times.size(), 0);
    steps_ += static_cast<double>(room * times.size());
    for (std::size_t item = 0; item < times.size(); ++item) {
      const auto time = static_cast<std::size_t>(times[item].count());
      for (std::size_t at = room; at-- > time;) {
        const double with = value_[at - time] + price_[item];
        if (with <= value_[at]) continue;
        value_[at] = with;
        is_taken_[item * room + at] = 1;
      }
    }
    std::size_t at = room - 1;
    for (std::size_t item = times.size(); item-- > 0;) {
      if (is_taken_[item * room + at] == 0) continue;
      demand_[item] += members_[c];
      at -= static_cast<std::size_t>(times[item].count());
    }
    return value_.back();
  }

  const Workload& workload_;
  /// By class.
  std::vector<double> members_;
  /// By task: its price, and how many knapsacks take it.
  std::vector<double> price_, demand_;
  std::vector<double> value_;
  std::vector<char> is_taken_;
  double steps_ = 0;
};

}  // namespace

Time packing_bound(const Workload& workload, Time at_least, Time below) {
  const double cells = static_cast<double>(workload.item_count()) *
                       static_cast<double>(workload.class_count()) * static_cast<double>(below.count());
  if (workload.replicas() != 1 || workload.item_count() < 2 || cells > most_cells) return at_least;
  Time message{0};
  // No processor has everything in less than a period that is known already.
  Time alone = Time::max();
  for (std::uint32_t c = 0; c < workload.class_count(); ++c) {
    Time sum{0};
    for (Time time : workload.times(c)) sum += time;
    alone = std::min(alone, sum);
  }
  if (connected_components(workload.items()).count == 1 && below <= alone)
    message = LeastMessage(workload.items(), workload.machine()).one();
  TaskPrices prices(workload);
  Time low = at_least - Time{1}, high = below;
  while (high - low > Time{1}) {
    const Time middle = low + (high - low) / 2;
    (middle < message || prices.prove_too_small(middle - message) ? low : high) = middle;
  }
  return high;
}

}  // namespace takt::schedulers
