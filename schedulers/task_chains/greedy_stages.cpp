#include "schedulers/task_chains/greedy_stages.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "core/error.hpp"

namespace takt::schedulers {

namespace {

/// The end of a stage and its number of cores.
struct Cut {
  std::size_t end = 0, cores = 0;
};

std::size_t cores_for(Time work, double period) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(work.count()) / period));
}

/// Cuts one stage under a period.
class Cutter {
 public:
  Cutter(const CoreChain& chain, double period, std::size_t core_class)
      : chain_(chain), period_(period), core_class_(core_class) {}

  /// Takes as many tasks as fit one core, then stateless ones up to the next stateful one, as in OTAC. May
  /// need more cores than there are.
  [[nodiscard]] Cut cut(std::size_t begin) const {
    const Cut one_core = fit_one_core(begin);
    const std::size_t next = stateless_end(begin, one_core.end);
    return next == one_core.end ? one_core : spare_per_core(begin, next);
  }

  /// The same; with too few cores, as many stateless tasks as they can execute.
  [[nodiscard]] Cut cut_within(std::size_t begin, std::size_t cores) const {
    const Cut one_core = fit_one_core(begin);
    const std::size_t next = stateless_end(begin, one_core.end);
    if (next == one_core.end) return one_core;
    if (cores_for(chain_.work(begin, next, core_class_), period_) <= cores)
      return spare_per_core(begin, next);
    Cut cut{next, cores};
    while (cut.end > begin && !fits(begin, cut.end, cores)) --cut.end;
    if (cut.end > begin) cut.cores = cores_for(chain_.work(begin, cut.end, core_class_), period_);
    return cut;
  }

  [[nodiscard]] bool fits(std::size_t begin, std::size_t end, std::size_t cores) const {
    return chain_.load(begin, end, cores, core_class_) <= period_;
  }

 private:
  [[nodiscard]] Cut fit_one_core(std::size_t begin) const {
    std::size_t end = begin + 1;
    while (end < chain_.size() && fits(begin, end + 1, 1)) ++end;
    return {end, cores_for(chain_.work(begin, end, core_class_), period_)};
  }

  /// Returns the end of the stateless tasks that can extend a stateless stage; its own end if it is stateful
  /// or ends the chain.
  [[nodiscard]] std::size_t stateless_end(std::size_t begin, std::size_t end) const {
    if (end == chain_.size() || !chain_.is_stateless(begin, end)) return end;
    return chain_.next_stateful(end);
  }

  /// Returns a stateless stage up to the stateful task `next` or, if that saves a core, without its last
  /// tasks, which fit one core together with `next`.
  [[nodiscard]] Cut spare_per_core(std::size_t begin, std::size_t next) const {
    Cut cut{next, cores_for(chain_.work(begin, next, core_class_), period_)};
    if (next == chain_.size()) return cut;
    std::size_t left = next;
    while (left > begin && fits(left - 1, next + 1, 1)) --left;
    if (left == begin || !fits(begin, left, cut.cores - 1)) return cut;
    --cut.cores;
    while (left < next && fits(begin, left + 1, cut.cores)) ++left;
    cut.end = left;
    return cut;
  }

  const CoreChain& chain_;
  double period_;
  std::size_t core_class_;
};

double period_of(const CoreChain& chain, const ChainStages& stages) {
  double period = 0;
  for (const ChainStage& stage : stages)
    period = std::max(period, chain.load(stage.begin, stage.end, stage.cores, stage.core_class));
  return period;
}

/// Bisects between a lower bound of the period and one longest task more, down to 1 / cores, as in the
/// papers. `under` returns stages for a period, or nothing.
template <class Under>
ChainStages bisect(const CoreChain& chain, double least, Time longest, std::size_t cores,
                   const Under& under) {
  double most = least + static_cast<double>(longest.count());
  const double step = 1.0 / static_cast<double>(cores);
  std::optional<ChainStages> best;
  while (most - least >= step || !best) {
    // No stages even at the upper end: it was too low.
    if (most - least < step) most += static_cast<double>(longest.count());
    const double period = (most + least) / 2;
    // For long times there is no floating-point number in between.
    if (best && (period <= least || period >= most)) break;
    if (std::optional<ChainStages> found = under(period)) {
      most = period_of(chain, *found);
      best = std::move(found);
    } else {
      least = period;
    }
  }
  return *std::move(best);
}

double least_period(const CoreChain& chain, std::size_t cores, std::size_t core_class) {
  const double area =
      static_cast<double>(chain.work(0, chain.size(), core_class).count()) / static_cast<double>(cores);
  return std::max(area, static_cast<double>(chain.longest_stateful_task(core_class).count()));
}

std::optional<ChainStages> otac_under(const CoreChain& chain, double period, std::size_t cores,
                                      std::size_t core_class) {
  const Cutter cutter(chain, period, core_class);
  ChainStages stages;
  for (std::size_t begin = 0; begin < chain.size();) {
    const Cut cut = cutter.cut(begin);
    if (cut.cores > cores || !cutter.fits(begin, cut.end, cut.cores)) return std::nullopt;
    stages.push_back({begin, cut.end, cut.cores, core_class});
    cores -= cut.cores;
    begin = cut.end;
  }
  return stages;
}

/// Returns one stage of a class within its cores; nothing if the period is infeasible.
std::optional<ChainStage> stage_within(const CoreChain& chain, double period, std::size_t begin,
                                       std::size_t cores, std::size_t core_class) {
  if (cores == 0) return std::nullopt;
  const Cutter cutter(chain, period, core_class);
  const Cut cut = cutter.cut_within(begin, cores);
  if (cut.cores > cores || cut.end == begin || !cutter.fits(begin, cut.end, cut.cores)) return std::nullopt;
  return ChainStage{begin, cut.end, cut.cores, core_class};
}

std::optional<ChainStages> fertac_under(const CoreChain& chain, double period, CoreCounts cores) {
  ChainStages stages;
  for (std::size_t begin = 0; begin < chain.size(); begin = stages.back().end) {
    std::optional<ChainStage> stage = stage_within(chain, period, begin, cores[little_core], little_core);
    if (!stage) stage = stage_within(chain, period, begin, cores[big_core], big_core);
    if (!stage) return std::nullopt;
    cores[stage->core_class] -= stage->cores;
    stages.push_back(*stage);
  }
  return stages;
}

/// 2CATAC under one period.
class TwoChoices {
 public:
  TwoChoices(const CoreChain& chain, double period) : chain_(chain), period_(period) {}

  [[nodiscard]] std::optional<ChainStages> stages(const CoreCounts& cores) {
    const Rest* rest = better(from(0, cores, big_core), from(0, cores, little_core));
    if (!rest->valid) return std::nullopt;
    ChainStages stages;
    for (; rest != nullptr; rest = rest->next) stages.push_back(rest->stage);
    return stages;
  }

 private:
  /// The best solution for the rest of the chain with a first stage of a given class.
  struct Rest {
    bool valid = false;
    ChainStage stage = {};
    CoreCounts used{};
    const Rest* next = nullptr;
  };

  const Rest* from(std::size_t begin, const CoreCounts& cores, std::size_t core_class) {
    const auto [place, is_new] = known_.try_emplace({begin, cores[big_core], cores[little_core], core_class});
    Rest& rest = place->second;
    if (!is_new) return &rest;
    const std::optional<ChainStage> stage =
        stage_within(chain_, period_, begin, cores[core_class], core_class);
    if (!stage) return &rest;
    CoreCounts left = cores;
    left[core_class] -= stage->cores;
    if (stage->end < chain_.size()) {
      rest.next = better(from(stage->end, left, core_class), from(stage->end, left, 1 - core_class));
      if (!rest.next->valid) return &rest;
      rest.used = rest.next->used;
    }
    rest.used[core_class] += stage->cores;
    rest.stage = *stage;
    rest.valid = true;
    return &rest;
  }

  /// Returns the second one if neither is better.
  static const Rest* better(const Rest* first, const Rest* second) {
    if (!first->valid || !second->valid) return first->valid ? first : second;
    const auto& [a, b] = std::tie(first->used, second->used);
    if (a[little_core] > b[little_core] && a[big_core] < b[big_core]) return first;
    if (a[little_core] < b[little_core] && a[big_core] > b[big_core]) return second;
    return a[big_core] + a[little_core] < b[big_core] + b[little_core] ? first : second;
  }

  const CoreChain& chain_;
  double period_;
  std::map<std::array<std::size_t, 4>, Rest> known_;
};

Time longest_task(const CoreChain& chain) {
  return std::max(chain.longest_task(big_core), chain.longest_task(little_core));
}

}  // namespace

ChainStages otac_stages(const CoreChain& chain, std::size_t cores, std::size_t core_class) {
  if (cores == 0) throw ConfigError("otac: the machine has no core of this class");
  return bisect(chain, least_period(chain, cores, core_class), chain.longest_task(core_class), cores,
                [&](double period) { return otac_under(chain, period, cores, core_class); });
}

ChainStages fertac_stages(const CoreChain& chain, const CoreCounts& cores) {
  const std::size_t all = cores[big_core] + cores[little_core];
  return bisect(chain, least_period(chain, all, big_core), longest_task(chain), all,
                [&](double period) { return fertac_under(chain, period, cores); });
}

ChainStages twocatac_stages(const CoreChain& chain, const CoreCounts& cores) {
  const std::size_t all = cores[big_core] + cores[little_core];
  return bisect(chain, least_period(chain, all, big_core), longest_task(chain), all,
                [&](double period) { return TwoChoices(chain, period).stages(cores); });
}

}  // namespace takt::schedulers
