#include "schedulers/bounds/class_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "schedulers/bounds/fraction.hpp"
#include "schedulers/bounds/least_times.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_class_looks = 20'000'000;
constexpr std::size_t price_rounds = 200;

bool is_less(const Fraction& a, const Fraction& b) {
  // Quotients first: the products of sums of times by prices may be too large.
  const Wide whole_a = a.over / a.under, whole_b = b.over / b.under;
  if (whole_a != whole_b) return whole_a < whole_b;
  return static_cast<long double>(a.over % a.under) / static_cast<long double>(a.under) <
         static_cast<long double>(b.over % b.under) / static_cast<long double>(b.under);
}

/// Whole prices, one a class.
using WholePrices = std::vector<Wide>;

/// The relaxation, where tasks with state keep to classes on which they take no longer than a limit.
class SharedWork {
 public:
  explicit SharedWork(const Workload& workload) : workload_(workload), members_(workload.class_count()) {
    for (ProcessorId p : workload.machine().processors()) ++members_[workload.class_of(p)];
    for (TaskId task : workload.original().tasks())
      stateless_.push_back(workload.original().task(task).stateless);
  }

  [[nodiscard]] Fraction best(Time limit) const {
    return members_.size() == 2 ? best_of_two(limit) : best_of_many(limit);
  }

  /// The times of tasks with state, ascending: between two of them the same classes are open to all.
  [[nodiscard]] std::vector<Time> limits() const {
    std::vector<Time> limits;
    Time least{0};
    for (std::size_t task = 0; task < stateless_.size(); ++task) {
      if (stateless_[task]) continue;
      Time shortest = Time::max();
      for (std::uint32_t c = 0; c < members_.size(); ++c) {
        limits.push_back(workload_.times(c)[task]);
        shortest = std::min(shortest, limits.back());
      }
      least = std::max(least, shortest);
    }
    std::erase_if(limits, [&](Time limit) { return limit < least; });
    limits.push_back(least);
    std::ranges::sort(limits);
    const auto repeated = std::ranges::unique(limits);
    limits.erase(repeated.begin(), repeated.end());
    return limits;
  }

 private:
  [[nodiscard]] bool is_open(std::size_t task, std::uint32_t c, Time limit) const {
    return stateless_[task] || workload_.times(c)[task] <= limit;
  }

  [[nodiscard]] Fraction value(const WholePrices& prices, Time limit) const {
    Fraction value{0, 0};
    for (std::size_t task = 0; task < stateless_.size(); ++task) {
      std::optional<Wide> least;
      for (std::uint32_t c = 0; c < prices.size(); ++c) {
        if (!is_open(task, c, limit)) continue;
        const Wide cost = prices[c] * workload_.times(c)[task].count();
        if (!least || cost < *least) least = cost;
      }
      value.over += least.value_or(0);
    }
    for (std::size_t c = 0; c < prices.size(); ++c) value.under += prices[c] * members_[c];
    return value;
  }

  /// Tasks by how many ticks of the second class a tick of the first one is worth to them; those before the
  /// one whose prices are taken go to the second class, those after it to the first.
  [[nodiscard]] Fraction best_of_two(Time limit) const {
    struct Choice {
      Wide first, second;
    };
    std::vector<Choice> choices;
    Wide fixed_first = 0, rest_first = 0, to_second = 0;
    for (std::size_t task = 0; task < stateless_.size(); ++task) {
      const Wide first = workload_.times(0)[task].count(), second = workload_.times(1)[task].count();
      if (!is_open(task, 1, limit))
        fixed_first += first;
      else if (!is_open(task, 0, limit))
        to_second += second;
      else if (first + second > 0)
        choices.push_back({first, second});
    }
    std::ranges::sort(
        choices, [](const Choice& a, const Choice& b) { return a.second * b.first < b.second * a.first; });
    for (const Choice& choice : choices) rest_first += choice.first;
    Fraction best{0, 1};
    const auto look = [&](Wide price_first, Wide price_second, Wide first, Wide second) {
      const Wide all = price_first * members_[0] + price_second * members_[1];
      if (all <= 0) return;
      const Fraction value{price_first * first + price_second * second, all};
      if (is_less(best, value)) best = value;
    };
    // What can only be on one class, at the price of that class alone.
    look(1, 0, fixed_first, 0);
    look(0, 1, 0, to_second);
    for (const Choice& choice : choices) {
      look(choice.second, choice.first, fixed_first + rest_first, to_second);
      rest_first -= choice.first;
      to_second += choice.second;
    }
    return best;
  }

  [[nodiscard]] Fraction best_of_many(Time limit) const {
    std::vector<double> price(members_.size(), 1.0), taken(members_.size());
    Fraction best{0, 1};
    constexpr double unit = 1 << 20;
    const std::size_t looks = stateless_.size() * members_.size();
    const std::size_t rounds = std::min(price_rounds, most_class_looks / std::max<std::size_t>(1, looks));
    for (std::size_t round = 0; round < rounds; ++round) {
      const double highest = std::ranges::max(price);
      WholePrices whole;
      for (double& each : price) whole.push_back(static_cast<Wide>(std::llround((each /= highest) * unit)));
      const Fraction bound = value(whole, limit);
      if (is_less(best, bound)) best = bound;
      std::ranges::fill(taken, 0.0);
      for (std::size_t task = 0; task < stateless_.size(); ++task) {
        std::uint32_t cheapest = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::uint32_t c = 0; c < price.size(); ++c)
          if (const double cost = price[c] * static_cast<double>(workload_.times(c)[task].count());
              is_open(task, c, limit) && cost < least) {
            least = cost;
            cheapest = c;
          }
        taken[cheapest] += static_cast<double>(workload_.times(cheapest)[task].count());
      }
      const double period = static_cast<double>(bound.over) / static_cast<double>(bound.under);
      if (period <= 0) break;
      const double step = 0.3 / std::sqrt(1.0 + static_cast<double>(round));
      for (std::size_t c = 0; c < price.size(); ++c)
        price[c] *=
            1 + step * std::clamp(taken[c] / (static_cast<double>(members_[c]) * period) - 1, -1.0, 1.0);
    }
    return best;
  }

  const Workload& workload_;
  std::vector<Wide> members_;
  std::vector<bool> stateless_;
};

}  // namespace

Period class_bound(const TaskGraph& graph, const logp::Machine& machine) {
  if (graph.task_count() == 0 || graph.is_moldable() || has_equal_processors(graph, machine) ||
      graph.task_count() * machine.processor_count() > most_class_looks)
    return {};
  const Workload workload(graph, machine);
  if (workload.class_count() < 2) return {};
  const SharedWork shared(workload);
  const std::vector<Time> limits = shared.limits();
  // With longer limits the relaxation only falls: the first one at which it is below the next limit.
  std::size_t first = 0, last = limits.size() - 1;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (is_less(shared.best(limits[middle]), {limits[middle + 1].count(), 1}))
      last = middle;
    else
      first = middle + 1;
  }
  return std::max(Period{limits[first], 1}, shared.best(limits[first]).floor());
}

}  // namespace takt::schedulers
