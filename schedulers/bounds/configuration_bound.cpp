#include "schedulers/bounds/configuration_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "schedulers/bounds/connected_parts.hpp"
#include "schedulers/bounds/least_cost.hpp"
#include "schedulers/search/components.hpp"

namespace takt::schedulers {

namespace {

/// Relative error bound of floating-point sums.
constexpr double configuration_tolerance = 1e-9;
/// Growth of the tested periods, and the relative gap at which the search between two of them ends.
constexpr double growth = 1.1, least_step = 0.002;
/// Iterations of the prices per period; the second applies if the sum is then still below `hope` of the goal.
constexpr int most_part_rounds = 160, rounds_of_hope = 48;
constexpr double hope = 0.9;
/// A part counts with exp(sharpness * (its value - the highest value)); the sharpness grows per iteration.
constexpr double first_sharpness = 20, most_sharpness = 400, sharpening = 1.03, most_off = 12;
/// Examined tasks of parts for all periods together: about half a second.
constexpr double most_part_looks = 5e8;
/// Share of the data that a task exchanges, in its initial price.
constexpr double first_share = 0.3;
/// Largest depth of recursion of the enumeration.
constexpr std::size_t most_part_tasks = 4096;

/// Prices of tasks under which no part exceeds the value of its share of a processor.
class PartPrices {
 public:
  explicit PartPrices(const PartCosts& costs) : load_(costs.task_count()) {
    for (std::size_t task = 0; task < costs.task_count(); ++task) {
      double price = static_cast<double>(costs.work(task));
      for (const PartCosts::Neighbour& neighbour : costs.neighbours(task))
        price += first_share * static_cast<double>(neighbour.mine);
      price_.push_back(price + 1);
    }
  }

  /// Whether prices prove that all tasks are worth more than `enough` processors with this room.
  bool prove_too_small(const ConnectedParts& parts, PartCosts::Amount room, double enough) {
    set_shares(parts, room);
    if (leaves_out_tasks(parts)) return true;
    double best = 0;
    std::vector<double> best_price = price_;
    for (int round = 0; round < most_part_rounds && looks_ < most_part_looks; ++round) {
      const double all = look_at_all(parts);
      if (all > best) {
        best = all;
        best_price = price_;
      }
      if (best > enough || (round >= rounds_of_hope && best < hope * enough)) break;
      change(parts);
      sharpness_ = std::min(most_sharpness, sharpness_ * sharpening);
    }
    price_ = std::move(best_price);
    return best > enough;
  }

 private:
  /// Parts are in ascending order of cost: if a part leaves less room than the first one costs, no other part
  /// fits next to it.
  void set_shares(const ConnectedParts& parts, PartCosts::Amount room) {
    share_.clear();
    for (PartCosts::Amount cost : parts.cost) {
      if (cost > room) break;
      const bool is_alone = cost + parts.cost.front() > room;
      share_.push_back(is_alone ? 1 : static_cast<double>(cost) / static_cast<double>(room));
    }
    // Free parts have no value.
    for (std::size_t i = 0; i < share_.size() && share_[i] == 0; ++i)
      for (std::uint32_t task : parts.part(i)) price_[task] = 0;
    value_.resize(share_.size());
  }

  /// Whether some task is in no part.
  [[nodiscard]] bool leaves_out_tasks(const ConnectedParts& parts) {
    std::ranges::fill(load_, 0.0);
    for (std::size_t i = 0; i < share_.size(); ++i)
      for (std::uint32_t task : parts.part(i)) load_[task] = 1;
    return std::ranges::find(load_, 0.0) != load_.end();
  }

  void look_at(const ConnectedParts& parts, std::size_t i) {
    double worth = 0;
    for (std::uint32_t task : parts.part(i)) worth += price_[task];
    value_[i] = share_[i] > 0 ? worth / share_[i] : 0;
    looks_ += static_cast<double>(parts.part(i).size());
  }

  /// Scales the prices so that no part exceeds the value of its share; returns their sum. Records the parts
  /// that are worth nearly as much.
  double look_at_all(const ConnectedParts& parts) {
    double most = 0;
    for (std::size_t i = 0; i < value_.size(); ++i) {
      look_at(parts, i);
      most = std::max(most, value_[i]);
    }
    if (most == 0) return 0;
    hot_.clear();
    for (std::size_t i = 0; i < value_.size(); ++i)
      if (sharpness_ * (1 - value_[i] / most) < most_off) hot_.push_back(i);
    double all = 0;
    for (double& price : price_) all += price /= most;
    return all;
  }

  /// Lowers the prices of tasks in the parts with the highest value per share, and raises all others.
  void change(const ConnectedParts& parts) {
    double most = 0;
    for (std::size_t i : hot_) {
      look_at(parts, i);
      most = std::max(most, value_[i]);
    }
    std::ranges::fill(load_, 0.0);
    for (std::size_t i : hot_) {
      const double off = sharpness_ * (1 - value_[i] / most);
      if (off > most_off || share_[i] == 0) continue;
      const double weight = std::exp(-off) / share_[i];
      for (std::uint32_t task : parts.part(i)) load_[task] += weight;
    }
    double mean = 0, all = 0;
    for (std::size_t task = 0; task < price_.size(); ++task) {
      mean += load_[task] * price_[task];
      all += price_[task];
    }
    if (mean == 0) return;
    const double step = 2 / std::sqrt(sharpness_);
    for (std::size_t task = 0; task < price_.size(); ++task)
      price_[task] *= std::exp(-step * std::clamp(load_[task] * all / mean - 1, -1.0, 1.0));
  }

  std::vector<double> price_, load_;
  /// Per part: its share of a processor, and its value per share.
  std::vector<double> share_, value_;
  std::vector<std::size_t> hot_;
  double sharpness_ = first_sharpness;
  double looks_ = 0;
};

/// Least time for messages, without their data, of a processor with a part of a connected graph.
double least_message(const Workload& workload, Time below) {
  Time alone = Time::max();
  for (std::uint32_t c = 0; c < workload.class_count(); ++c) {
    Time sum{0};
    for (Time time : workload.times(c)) sum += time;
    alone = std::min(alone, sum);
  }
  if (workload.items().edge_count() == 0 || connected_components(workload.items()).count > 1 || below > alone)
    return 0;
  const LeastMessageCosts messages(workload);
  return std::min(messages.send.constant(), messages.receive.constant());
}

}  // namespace

Time configuration_bound(const Workload& workload, Time at_least, Time below, std::uint64_t budget) {
  if (workload.replicas() != 1 || workload.item_count() < 2 || workload.item_count() > most_part_tasks ||
      below <= at_least)
    return at_least;
  const double enough =
      static_cast<double>(workload.machine().processor_count()) * (1 + configuration_tolerance);
  const double message = least_message(workload, below);
  const PartCosts costs(workload, below);
  const auto room = [&](Time period) { return costs.limit(static_cast<double>(period.count()) - message); };
  PartPrices prices(costs);
  // Periods up to `too_small` are impossible; periods from `open` on are not tested.
  Time too_small = at_least - Time{1}, open = below;
  double factor = growth;
  while (open - too_small > Time{1}) {
    const Time next(std::clamp(static_cast<Time::rep>(static_cast<double>(too_small.count()) * factor),
                               too_small.count() + 1, open.count() - 1));
    std::uint64_t steps = budget / 2;
    budget -= steps;
    const std::optional<ConnectedParts> parts = connected_parts(costs, room(next), steps);
    if (!parts) {
      // A shorter period has fewer parts.
      factor = 1 + (factor - 1) / 2;
      if (factor < 1 + 2 * least_step) break;
      continue;
    }
    budget += steps;
    if (prices.prove_too_small(*parts, room(next), enough)) {
      too_small = next;
      continue;
    }
    for (open = next; open - too_small > Time{1};) {
      const Time middle = too_small + (open - too_small) / 2;
      if (static_cast<double>((open - too_small).count()) <
          least_step * static_cast<double>(too_small.count()))
        break;
      (prices.prove_too_small(*parts, room(middle), enough) ? too_small : open) = middle;
    }
    break;
  }
  return std::max(at_least, too_small + Time{1});
}

}  // namespace takt::schedulers
