#include "schedulers/relay/chain_packing.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "schedulers/relay/packing_problem.hpp"
#include "schedulers/search/stage_search.hpp"

namespace takt::schedulers {

namespace {

/// With more tasks per processor, an order's cuts are as good.
constexpr std::size_t most_tasks_per_processor = 16;
/// Limits the table of all pairs of stages with direct messages.
constexpr std::size_t most_packed_stages = 500;
/// Times are rounded to this many parts of the period; below, the number of candidates for one stage.
constexpr Time::rep knapsack_parts = 512;
constexpr std::size_t most_candidates = 64;
constexpr std::uint64_t cells_per_move = 1000;
/// Fractions of the budget for one period, and of that for moves.
constexpr std::uint64_t budget_share = 6, packing_share = 2;
constexpr std::size_t most_packed_chains = 3;

/// Values of the tasks in one attempt, and the time reserved for messages.
struct Weights {
  bool is_backwards = false;
  /// Bonus in % for a task as large as the largest one, and for the one that is farthest from the end.
  std::int64_t size = 0, level = 0;
  /// Share in % of the cost of a task's data if all of it comes from and goes to other stages.
  std::int64_t data = 0;
  /// Random tolerance, in thousandths of a stage, in the choice of the best filled class.
  std::size_t jitter = 0;
  /// Number of messages that a stage receives, and sends.
  Time::rep messages = 1;
};

class Packer {
 public:
  Packer(const PackingProblem& problem, SearchRandom& random)
      : problem_(problem), workload_(problem.workload()), random_(random) {
    std::int64_t all = 0;
    for (TaskId item : problem.graph().tasks()) all += problem.work(item);
    for (std::uint32_t c = 0; c < problem_.members().size(); ++c) {
      Time::rep sum = 0;
      for (Time time : workload_.times(c)) sum += time.count();
      speed_.push_back(sum > 0 ? static_cast<double>(all) / static_cast<double>(sum) : 1);
    }
  }

  /// Fills the stages one by one within the period; the remaining items go to the last one. Returns their
  /// work.
  Time::rep pack(Time::rep period, const Weights& weights) {
    begin(weights);
    const Time::rep room = period - weights.messages * problem_.message();
    while (!ready_.empty() && fill_best(period, room)) {
    }
    const Time::rep left = place_remaining();
    if (weights.is_backwards) reverse();
    return left;
  }
  [[nodiscard]] const Stages& stages() const { return stages_; }

  /// Returns the knapsack steps since the last call.
  std::uint64_t take_cells() { return std::exchange(cells_, 0); }

 private:
  [[nodiscard]] auto tasks() const { return problem_.graph().tasks(); }

  void begin(const Weights& weights) {
    weights_ = weights;
    filling_ = weights.is_backwards ? Filling::from_sinks : Filling::from_sources;
    const std::size_t items = workload_.item_count();
    used_.assign(problem_.members().size(), 0);
    stages_ = {{}, std::vector<std::uint32_t>(items)};
    is_packed_.assign(items, 0);
    open_.assign(items, 0);
    ready_.clear();
    for (TaskId item : tasks()) {
      open_[item.index()] = problem_.before(item, filling_).size();
      if (open_[item.index()] == 0) ready_.push_back(item);
    }
  }

  /// Fills the next stage with the class that leaves the least time; returns false if no processor is left.
  bool fill_best(Time::rep period, Time::rep room) {
    std::optional<std::uint32_t> best;
    double best_share = -1;
    std::vector<TaskId> chosen, best_chosen;
    for (std::uint32_t c = 0; c < used_.size(); ++c) {
      if (used_[c] == problem_.members()[c].size()) continue;
      std::int64_t value = 0;
      chosen = fill(c, period, room, value);
      // Slightly random, so that other attempts begin with other classes.
      const double jitter = static_cast<double>(random_.below(weights_.jitter + 1)) / 1000;
      const double share = static_cast<double>(value) / (speed_[c] * static_cast<double>(period)) - jitter;
      if (best && share <= best_share) continue;
      best = c;
      best_share = share;
      best_chosen.swap(chosen);
    }
    if (!best) return false;
    const auto stage = static_cast<std::uint32_t>(stages_.chain.size());
    stages_.chain.push_back(problem_.members()[*best][used_[*best]++]);
    for (TaskId item : best_chosen) put(item, stage);
    return true;
  }

  /// Returns the possible next tasks, and their successors, that fill a stage of a class best.
  std::vector<TaskId> fill(std::uint32_t c, Time::rep period, Time::rep room, std::int64_t& value) {
    std::vector<TaskId> all, candidates = ready_;
    std::vector<std::pair<std::size_t, std::size_t>> opened;
    while (!candidates.empty() && room > 0) {
      const std::vector<TaskId> chosen = knapsack(c, period, room, candidates);
      if (chosen.empty()) break;
      std::erase_if(candidates, [&](TaskId item) { return std::ranges::find(chosen, item) != chosen.end(); });
      for (TaskId item : chosen) {
        room -= time_of(item, c);
        value += problem_.work(item);
        all.push_back(item);
        for (EdgeId id : problem_.after(item, filling_)) {
          const TaskId next = problem_.next(id, filling_);
          if (--open_[next.index()] == 0) candidates.push_back(next);
        }
      }
    }
    for (TaskId item : all)
      for (EdgeId id : problem_.after(item, filling_)) ++open_[problem_.next(id, filling_).index()];
    return all;
  }
  [[nodiscard]] Time::rep time_of(TaskId item, std::uint32_t c) const {
    return workload_.time(item, c).count() + problem_.data_time(item) * weights_.data / 100;
  }

  /// The work, increased slightly for large tasks and for long paths.
  [[nodiscard]] double weight(TaskId item) const {
    const std::int64_t work = problem_.work(item);
    const double more =
        static_cast<double>(weights_.size * work) / static_cast<double>(problem_.largest() + 1) +
        static_cast<double>(weights_.level * problem_.level(item, filling_)) /
            static_cast<double>(problem_.longest() + 1);
    return (static_cast<double>(work) + 1e-3) * (1 + more / 100);
  }

  std::vector<TaskId> knapsack(std::uint32_t c, Time::rep period, Time::rep room,
                               std::vector<TaskId> candidates) {
    const Time::rep unit = std::max<Time::rep>(1, period / knapsack_parts);
    const auto parts = static_cast<std::size_t>(room / unit) + 1;
    std::erase_if(candidates, [&](TaskId item) { return time_of(item, c) > room; });
    for (std::size_t i = candidates.size(); i > 1; --i)
      std::swap(candidates[i - 1], candidates[random_.below(i)]);
    if (candidates.size() > most_candidates) candidates.resize(most_candidates);
    best_.assign(parts, 0);
    is_taken_.assign(parts * candidates.size(), 0);
    cells_ += parts * candidates.size();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto time = static_cast<std::size_t>((time_of(candidates[i], c) + unit - 1) / unit);
      const double gain = weight(candidates[i]);
      for (std::size_t at = parts; at-- > time;) {
        const double with = best_[at - time] + gain;
        if (with <= best_[at]) continue;
        best_[at] = with;
        is_taken_[i * parts + at] = 1;
      }
    }
    std::vector<TaskId> chosen;
    std::size_t at = parts - 1;
    for (std::size_t i = candidates.size(); i-- > 0;) {
      if (is_taken_[i * parts + at] == 0) continue;
      chosen.push_back(candidates[i]);
      at -= static_cast<std::size_t>((time_of(candidates[i], c) + unit - 1) / unit);
    }
    return chosen;
  }

  void put(TaskId item, std::uint32_t stage) {
    stages_.stage_of[item.index()] = stage;
    is_packed_[item.index()] = 1;
    std::erase(ready_, item);
    for (EdgeId id : problem_.after(item, filling_)) {
      const TaskId next = problem_.next(id, filling_);
      if (--open_[next.index()] == 0) ready_.push_back(next);
    }
  }

  Time::rep place_remaining() {
    Time::rep left = 0;
    for (TaskId item : tasks()) {
      if (is_packed_[item.index()] != 0) continue;
      stages_.stage_of[item.index()] = static_cast<std::uint32_t>(stages_.chain.size() - 1);
      left += problem_.work(item);
    }
    for (std::uint32_t c = 0; c < used_.size(); ++c)
      while (used_[c] < problem_.members()[c].size())
        stages_.chain.push_back(problem_.members()[c][used_[c]++]);
    return left;
  }

  void reverse() {
    std::ranges::reverse(stages_.chain);
    const auto last = static_cast<std::uint32_t>(stages_.chain.size() - 1);
    for (std::uint32_t& stage : stages_.stage_of) stage = last - stage;
  }

  const PackingProblem& problem_;
  const Workload& workload_;
  SearchRandom& random_;
  /// Mean speed of each class relative to the fastest, and the number of its used processors.
  std::vector<double> speed_;
  std::vector<std::size_t> used_;

  Weights weights_;
  Filling filling_ = Filling::from_sources;
  Stages stages_;
  std::vector<char> is_packed_;
  std::vector<std::size_t> open_;
  std::vector<TaskId> ready_;
  std::vector<double> best_;
  std::vector<char> is_taken_;
  std::uint64_t cells_ = 0;
};

class PackingSearch {
 public:
  PackingSearch(const Workload& workload, std::uint64_t& budget, std::uint64_t seed)
      : workload_(workload), budget_(budget), random_(seed), problem_(workload), packer_(problem_, random_) {}

  std::vector<Chain> run(Time bound, Time below) {
    Time low = bound - Time{1}, high = below;
    while (high - low > Time{1} && budget_ > 0) {
      const Time middle = low + (high - low) / 2;
      const std::optional<Time> load = try_period(middle);
      if (load && *load < high) high = *load;
      if (!load || *load > middle) low = middle;
    }
    std::ranges::stable_sort(chains_, {}, &Chain::load);
    std::erase_if(chains_, [&](const Chain& chain) { return chain.load >= below; });
    if (chains_.size() > most_packed_chains)
      chains_.erase(chains_.begin() + most_packed_chains, chains_.end());
    return std::move(chains_);
  }

 private:
  void spend(std::uint64_t amount) { budget_ -= std::min(budget_, amount); }

  [[nodiscard]] Weights draw() {
    Weights weights;
    weights.is_backwards = random_.below(2) == 1;
    weights.size = static_cast<std::int64_t>(random_.below(4) * random_.below(50));
    weights.level = static_cast<std::int64_t>(random_.below(4) * random_.below(50));
    weights.jitter = std::size_t{10} << (2 * random_.below(3));
    weights.data = static_cast<std::int64_t>(random_.below(3)) * 50;
    weights.messages = static_cast<Time::rep>(1 + random_.below(2));
    return weights;
  }

  /// Returns the least load of chains packed for a period and improved by moves.
  std::optional<Time> try_period(Time period) {
    std::uint64_t share = budget_ / budget_share / packing_share + 1;
    std::optional<Stages> best;
    Time::rep least = 0;
    while (share > 0 && budget_ > 0) {
      const Time::rep left = packer_.pack(period.count(), draw());
      const std::uint64_t cost = 1 + workload_.item_count() / 20 + packer_.take_cells() / cells_per_move;
      spend(cost);
      share -= std::min(share, cost);
      if (best && left >= least) continue;
      best = packer_.stages();
      least = left;
      if (left == 0) break;
    }
    if (!best) return std::nullopt;
    return mend(*best, period);
  }

  Time mend(const Stages& stages, Time period) {
    Time least = Time::max();
    for (Routing routing : {Routing::relay, Routing::direct}) {
      if (routing == Routing::direct && workload_.machine().communication_is_free()) continue;
      StageLoads loads(workload_, stages.chain, stages.stage_of, routing);
      std::uint64_t slice = budget_ / budget_share / packing_share + 1;
      const std::uint64_t before = slice;
      improve_stages(loads, period, slice, random_);
      spend(before - slice);
      const Time load(loads.repetition());
      chains_.push_back({{loads.chain(), loads.stages()}, ChainRoutes(loads.stage_count(), routing), load});
      least = std::min(least, load);
    }
    return least;
  }

  const Workload& workload_;
  std::uint64_t& budget_;
  SearchRandom random_;
  PackingProblem problem_;
  Packer packer_;
  std::vector<Chain> chains_;
};

}  // namespace

std::vector<Chain> pack_chains(const Workload& workload, Time bound, Time below, std::uint64_t& budget,
                               std::uint64_t seed) {
  const std::size_t processors = workload.machine().processor_count();
  if (!workload.links_are_equal() || processors < 2 || processors > most_packed_stages ||
      workload.replicas() != 1 || workload.item_count() < 2 ||
      workload.item_count() > processors * most_tasks_per_processor)
    return {};
  return PackingSearch(workload, budget, seed).run(bound, below);
}

}  // namespace takt::schedulers
