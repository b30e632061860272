#include "schedulers/bounds/packing_bound.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "schedulers/bounds/closure_times.hpp"
#include "schedulers/bounds/least_cost.hpp"
#include "schedulers/search/components.hpp"

namespace takt::schedulers {

namespace {

/// Cells of all knapsacks of an iteration; steps of all iterations, and of those for one size.
constexpr double most_cells = 2e6, most_steps = 6e8, most_steps_of_size = 1.5e8;
/// Least and largest number of units per period, for each task of a processor. Larger times are rounded down
/// to units, half a unit per task on average.
constexpr double least_parts = 50, largest_parts = 4'000;
/// Share of the steps where times are in units: such long periods belong to runs, which wait for their plan.
constexpr double share_in_units = 0.1;
constexpr int most_price_rounds = 20'000, most_idle_rounds = 40;
/// Relative distance of the goal of a step above the best value; relative length of the last step.
constexpr double price_aim = 2e-3, least_scale = 1e-4;
/// Relative error bound of floating-point sums.
constexpr double packing_tolerance = 1e-9;
/// Tasks and edges examined to find processors that receive and send: a tenth of a second.
constexpr double most_closure_looks = 5e7;

/// The least messages of the processors of a connected graph.
struct Exchange {
  /// Time of each processor for messages, and time of a message at both ends; the number of messages is one
  /// less than that of the processors.
  Time::rep each = 0, both = 0;
  /// Time of a processor that both receives and sends.
  Time::rep inner = 0;
};

class TaskPrices {
 public:
  /// All times are integer multiples of this unit, rounded down: what fits still fits.
  TaskPrices(const Workload& workload, const Exchange& exchange, Time::rep unit, double effort)
      : exchange_(exchange),
        share_(unit == 1 ? effort : effort * share_in_units),
        times_(workload.class_count()),
        members_(workload.class_count(), 0.0),
        demand_(workload.item_count()) {
    for (ProcessorId p : workload.machine().processors()) ++members_[workload.class_of(p)];
    for (std::uint32_t c = 0; c < members_.size(); ++c)
      for (Time time : workload.times(c)) times_[c].push_back(static_cast<std::size_t>(time.count() / unit));
    double processors = 0;
    for (double members : members_) processors += members;
    for (std::size_t item = 0; item < workload.item_count(); ++item) {
      double price = 0;
      for (std::uint32_t c = 0; c < members_.size(); ++c) price += static_cast<double>(times_[c][item]);
      price_.push_back(price);
    }
    unit_ = price_;
    double all = 0;
    for (double price : price_) all += price;
    const double messages = static_cast<double>(exchange_.both) * processors;
    if (messages > 0) message_unit_ = all / static_cast<double>(price_.size()) / (messages * messages);
  }

  /// From now on distinguishes processors that both receive and send.
  void distinguish_inner(const TaskGraph& graph) {
    for (const std::vector<std::size_t>& times : times_) closures_.push_back(closure_times(graph, times));
  }

  /// Whether some prices prove that not all tasks fit into knapsacks of this size. Keeps the prices as the
  /// start for other sizes.
  bool prove_too_small(Time::rep size) {
    if (size < exchange_.each) return true;
    double scale = 1;
    std::vector<double> best_price = price_;
    double best_tick_price = tick_price_, best = -1;
    const double last_step = std::min(share_ * most_steps, steps_ + share_ * most_steps_of_size);
    for (int round = 0, idle = 0; round < most_price_rounds && steps_ < last_step && scale > least_scale;
         ++round) {
      const double missing = look(size);
      if (missing > packing_tolerance) return true;
      if (missing > best) {
        best = missing;
        best_price = price_;
        best_tick_price = tick_price_;
        idle = 0;
      } else if (++idle == most_idle_rounds) {
        scale /= 2;
        price_ = best_price;
        tick_price_ = best_tick_price;
        idle = 0;
        look(size);
      }
      change(std::max(0.0, best) + price_aim - missing, scale);
    }
    price_ = std::move(best_price);
    tick_price_ = best_tick_price;
    return false;
  }
  /// Returns the prices of the items after the last size.
  [[nodiscard]] const std::vector<double>& prices() const { return price_; }

 private:
  /// Relative excess of the value of the tasks over that of all knapsacks. Records the demand for each task.
  double look(Time::rep size) {
    all_ = 0;
    for (double price : price_) all_ += price;
    if (all_ <= 0) return -1;
    std::ranges::fill(demand_, 0.0);
    const double both = static_cast<double>(exchange_.both);
    double taken = tick_price_ * both;
    exchanged_ = both;
    for (std::uint32_t c = 0; c < members_.size(); ++c) taken += members_[c] * fill(c, size);
    return (all_ - taken) / all_;
  }

  /// Polyak's step for a value at this distance from the goal.
  void change(double distance, double scale) {
    double square = 0;
    for (std::size_t i = 0; i < price_.size(); ++i) square += unit_[i] * (1 - demand_[i]) * (1 - demand_[i]);
    const double exchanged = message_unit_ * exchanged_;
    square += exchanged * exchanged_;
    if (square == 0) return;
    const double step = scale * all_ * distance / square;
    for (std::size_t i = 0; i < price_.size(); ++i)
      price_[i] = std::max(0.0, price_[i] + step * unit_[i] * (1 - demand_[i]));
    tick_price_ = std::max(0.0, tick_price_ - step * exchanged);
  }

  struct Knapsack {
    double value = 0;
    /// Time for messages beyond one.
    Time::rep beyond = 0;
    std::vector<std::size_t> items;
  };

  /// Fills the best knapsack of a class; all members of the class demand its tasks. A processor both receives
  /// and sends, or has only tasks that fit together with all their ancestors or descendants.
  double fill(std::uint32_t c, Time::rep size) {
    const std::size_t room = static_cast<std::size_t>(size - exchange_.each);
    if (closures_.empty()) {
      set_all_items();
      return demand(c, pack(times_[c], size, exchange_.each));
    }
    items_.clear();
    for (std::size_t item = 0; item < times_[c].size(); ++item)
      if (closures_[c][item] <= room) items_.push_back(item);
    const bool is_outer = items_.size() == times_[c].size() || exchange_.inner <= exchange_.each;
    if (is_outer) set_all_items();
    Knapsack best = pack(times_[c], size, exchange_.each);
    if (!is_outer && size >= exchange_.inner) {
      set_all_items();
      Knapsack inner = pack(times_[c], size, exchange_.inner);
      if (inner.value > best.value) best = std::move(inner);
    }
    return demand(c, best);
  }

  double demand(std::uint32_t c, const Knapsack& best) {
    // An idle processor exchanges nothing.
    if (best.value <= 0) return 0;
    exchanged_ += members_[c] * static_cast<double>(best.beyond);
    for (std::size_t item : best.items) demand_[item] += members_[c];
    return best.value;
  }

  void set_all_items() {
    items_.resize(price_.size());
    std::iota(items_.begin(), items_.end(), std::size_t{0});
  }

  /// Packs some of `items_`, with at least this room for messages, and more where that pays.
  Knapsack pack(const std::vector<std::size_t>& times, Time::rep size, Time::rep for_messages) {
    const auto room = static_cast<std::size_t>(size - for_messages) + 1;
    value_.assign(room, 0.0);
    is_taken_.assign(room * items_.size(), 0);
    steps_ += static_cast<double>(room * items_.size());
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const std::size_t time = times[items_[i]];
      for (std::size_t at = room; at-- > time;) {
        const double with = value_[at - time] + price_[items_[i]];
        if (with <= value_[at]) continue;
        value_[at] = with;
        is_taken_[i * room + at] = 1;
      }
    }
    Knapsack best;
    std::size_t at = room;
    for (std::size_t used = room; used-- > 0;) {
      const Time::rep beyond = size - static_cast<Time::rep>(used) - exchange_.both;
      const double value = value_[used] + tick_price_ * static_cast<double>(beyond);
      if (value <= best.value) continue;
      best.value = value;
      best.beyond = beyond;
      at = used;
    }
    if (at == room) return best;
    for (std::size_t i = items_.size(); i-- > 0;) {
      if (is_taken_[i * room + at] == 0) continue;
      best.items.push_back(items_[i]);
      at -= times[items_[i]];
    }
    return best;
  }

  Exchange exchange_;
  double share_;
  /// Per class: the times of its tasks, and its number of processors.
  std::vector<std::vector<std::size_t>> times_;
  /// Per class and item; empty where that does not count.
  std::vector<std::vector<std::size_t>> closures_;
  std::vector<double> members_;
  /// Per task: its price, and the number of knapsacks that demand it.
  std::vector<double> price_, demand_;
  /// Price of a tick for messages, and the total time for messages beyond the required one.
  double tick_price_ = 0, exchanged_ = 0;
  /// Step size of each price: larger for large tasks.
  std::vector<double> unit_;
  double message_unit_ = 0;
  double all_ = 0;
  /// Items that a knapsack may contain.
  std::vector<std::size_t> items_;
  std::vector<double> value_;
  std::vector<char> is_taken_;
  double steps_ = 0;
};

/// Messages are certain only if no processor can execute all tasks in less than the known period. In units:
/// each end of a message is rounded down separately, like the busy time of a processor.
Exchange least_exchange(const Workload& workload, Time below, Time::rep unit) {
  Time alone = Time::max();
  for (std::uint32_t c = 0; c < workload.class_count(); ++c) {
    Time sum{0};
    for (Time time : workload.times(c)) sum += time;
    alone = std::min(alone, sum);
  }
  if (connected_components(workload.items()).count > 1 || below > alone) return {};
  const LeastMessage message(workload.items(), workload.machine());
  if (unit == 1)
    return {message.one().count(), message.both.count(), (message.send + message.receive).count()};
  const Time::rep ends = message.send.count() / unit + message.receive.count() / unit;
  return {message.one().count() / unit, ends, ends};
}

/// Returns the largest size between two known ones that prices prove to be too small. Steps double, then
/// halve: the answer is near the lower end, and a failed proof takes longest.
Time::rep largest_too_small(TaskPrices& prices, Time::rep low, Time::rep high) {
  Time::rep step = 1;
  bool is_bracketed = false;
  while (high - low > 1) {
    const Time::rep next = is_bracketed ? low + (high - low) / 2 : std::min(low + step, high - 1);
    if (prices.prove_too_small(next)) {
      low = next;
      step *= 2;
    } else {
      high = next;
      is_bracketed = true;
    }
  }
  return low;
}

}  // namespace

PackingBound packing_bound(const Workload& workload, Time at_least, Time below, double effort) {
  const double items = static_cast<double>(workload.item_count()),
               processors = static_cast<double>(workload.machine().processor_count()),
               most_parts = most_cells / items / static_cast<double>(workload.class_count());
  if (workload.replicas() != 1 || items < 2 || below <= at_least) return {at_least, {}};
  const auto in_parts = [&](double parts) {
    return static_cast<Time::rep>(static_cast<double>(below.count()) / parts) + 1;
  };
  const Time::rep unit = in_parts(most_parts) == 1 ? 1 : in_parts(std::min(most_parts, largest_parts));
  if (unit > 1 && most_parts < least_parts * std::max(1.0, items / processors)) return {at_least, {}};
  const Exchange exchange = least_exchange(workload, below, unit);
  TaskPrices prices(workload, exchange, unit, effort);
  const Time::rep known = (at_least.count() - 1) / unit, most = (below.count() + unit - 1) / unit;
  Time::rep low = largest_too_small(prices, known, most);
  const double closure_looks = items * (items + static_cast<double>(workload.items().edge_count())) *
                               static_cast<double>(workload.class_count());
  if (exchange.inner > exchange.each && closure_looks <= most_closure_looks) {
    // Runs after the proofs without it, so that the result is never worse.
    prices.distinguish_inner(workload.items());
    low = largest_too_small(prices, low, most);
  }
  // A size in units stands for as many periods as a unit has ticks; all of them are too small.
  return {low > known ? std::clamp(Time((low + 1) * unit), at_least, below) : at_least, prices.prices()};
}

}  // namespace takt::schedulers
