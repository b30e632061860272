#include "schedulers/bounds/share_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "schedulers/bounds/least_cost.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/search/components.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_rounds = 400, most_looks = 20'000'000;
/// Relative error bound of floating-point sums.
constexpr double share_tolerance = 1e-9;

class Prices {
 public:
  explicit Prices(const Workload& workload)
      : workload_(workload), members_(workload.class_count(), 0.0), price_(workload.class_count(), 1.0) {
    for (ProcessorId p : workload.machine().processors()) ++members_[workload.class_of(p)];
    // Initially, all classes do the whole work in the same time for the same price.
    for (std::uint32_t c = 0; c < price_.size(); ++c) {
      double sum = 0;
      for (Time time : workload.times(c)) sum += static_cast<double>(time.count());
      if (sum > 0) price_[c] = 1 / sum;
    }
  }

  double best(std::size_t rounds) {
    double best = 0;
    std::vector<double> taken(price_.size());
    for (std::size_t round = 0; round < rounds; ++round) {
      const double bound = value(taken);
      best = std::max(best, bound);
      if (bound <= 0) break;
      // The more work a class has for its members, the higher its price; the steps decrease.
      const double step = 0.1 / std::sqrt(1.0 + static_cast<double>(round));
      for (std::size_t c = 0; c < price_.size(); ++c)
        price_[c] *= 1 + step * std::clamp(taken[c] / (members_[c] * bound) - 1, -1.0, 1.0);
    }
    return best;
  }

 private:
  /// Returns the bound with these prices, and the time of each class if every task goes to the cheapest one.
  double value(std::vector<double>& taken) const {
    std::ranges::fill(taken, 0.0);
    double least = 0, all = 0;
    for (std::size_t item = 0; item < workload_.item_count(); ++item) {
      std::size_t cheapest = 0;
      double cost = std::numeric_limits<double>::infinity();
      for (std::uint32_t c = 0; c < price_.size(); ++c) {
        const double its = price_[c] * static_cast<double>(workload_.times(c)[item].count());
        if (its >= cost) continue;
        cost = its;
        cheapest = c;
      }
      least += cost;
      taken[cheapest] +=
          static_cast<double>(workload_.times(static_cast<std::uint32_t>(cheapest))[item].count());
    }
    for (std::size_t c = 0; c < price_.size(); ++c) all += members_[c] * price_[c];
    return least / all;
  }

  const Workload& workload_;
  std::vector<double> members_, price_;
};

}  // namespace

Time share_bound(const Workload& workload) {
  const std::size_t looks = workload.item_count() * workload.class_count();
  if (workload.class_count() < 2 || looks == 0 || looks > most_looks || workload.replicas() > 1)
    return Time{0};
  const double shared =
      Prices(workload).best(std::min(most_rounds, most_looks / looks)) * (1 - share_tolerance);
  const Time bound(static_cast<Time::rep>(std::ceil(shared)));
  const TaskGraph& graph = workload.items();
  if (connected_components(graph).count > 1) return bound;
  return std::min(fastest_sequential_run(graph, workload.machine()).time,
                  bound + LeastMessage(graph, workload.machine()).one());
}

}  // namespace takt::schedulers
