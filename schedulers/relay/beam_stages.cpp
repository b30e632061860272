#include "schedulers/relay/beam_stages.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <unordered_set>

namespace takt::schedulers {

namespace {

/// Partial chains kept per length; stages that extend each of them, per class; examined sets of items per
/// search for these.
constexpr std::size_t beam_width = 20, loads_of_class = 4, nodes_of_class = 100;
/// The largest price as an integer.
constexpr double largest_price = 1e9;
/// Times are rounded to this many parts of the period in the knapsack.
constexpr Time::rep parts_of_most = 1024;
constexpr std::int64_t per_cent = 100;

}  // namespace

BeamStages::BeamStages(const PackingProblem& problem, std::span<const double> prices, SearchRandom& random)
    : problem_(problem), random_(random) {
  std::vector<double> values(prices.begin(), prices.end());
  if (values.empty())
    for (TaskId item : problem.graph().tasks()) values.push_back(static_cast<double>(problem.work(item)));
  const double largest = std::max(std::ranges::max(values), std::numeric_limits<double>::min());
  for (double value : values)
    prices_.push_back(1 + static_cast<Value>(std::llround(value / largest * largest_price)));
  SearchRandom draw(1);
  const std::size_t codes = prices_.size() + problem.members().size();
  for (std::size_t i = 0; i < codes; ++i) codes_.push_back(draw.next());
}

std::optional<Stages> BeamStages::fill(Time period, const BeamWeights& weights, std::uint64_t& looks) {
  begin(period, weights);
  std::vector<Partial> chains{empty_chain()}, longer;
  std::unordered_set<std::uint64_t> seen;
  const std::size_t processors = problem_.workload().machine().processor_count();
  for (std::size_t length = 0; length < processors && !chains.empty() && looks > 0; ++length) {
    candidates_.clear();
    looks_ = 0;
    for (std::size_t i = 0; i < chains.size(); ++i) extend(i, chains[i]);
    looks -= std::min(looks, looks_ + 1);
    std::ranges::stable_sort(candidates_, std::greater{}, &Candidate::value);
    longer.clear();
    seen.clear();
    for (Candidate& candidate : candidates_) {
      if (longer.size() == beam_width) break;
      if (!seen.insert(candidate.code).second) continue;
      longer.push_back(join(chains[candidate.parent], std::move(candidate)));
      if (longer.back().item_count == prices_.size()) return stages_of(longer.back());
    }
    chains.swap(longer);
  }
  return std::nullopt;
}

void BeamStages::begin(Time period, const BeamWeights& weights) {
  weights_ = weights;
  room_ = period.count() - weights.messages * problem_.message();
  steps_.assign(1, {});
  set_times();
  set_values();
}

void BeamStages::set_times() {
  const std::size_t classes = problem_.members().size();
  times_.assign(classes, {});
  for (std::uint32_t c = 0; c < classes; ++c)
    for (TaskId item : problem_.graph().tasks())
      times_[c].push_back(problem_.workload().time(item, c).count() +
                          problem_.data_time(item) * weights_.data / per_cent);
}

void BeamStages::set_values() {
  values_ = prices_;
  for (TaskId item : problem_.graph().tasks()) {
    const double more = static_cast<double>(weights_.size * problem_.work(item)) /
                            static_cast<double>(problem_.largest() + 1) +
                        static_cast<double>(weights_.level * problem_.level(item, weights_.filling)) /
                            static_cast<double>(problem_.longest() + 1);
    Value& value = values_[item.index()];
    value += static_cast<Value>(std::llround(static_cast<double>(value) * more / per_cent));
  }
  most_.clear();
  for (std::uint32_t c = 0; c < times_.size(); ++c) most_.push_back(most_of(c));
  std::vector<std::uint32_t> order(values_.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return values_[a] > values_[b]; });
  ranks_.assign(order.size(), 0);
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks_[order[rank]] = rank;
}

/// Knapsack: the highest total value of items that fit on a processor of the class, in any order.
BeamStages::Value BeamStages::most_of(std::uint32_t c) const {
  const Time::rep unit = std::max<Time::rep>(1, room_ / parts_of_most);
  if (room_ < 0) return 0;
  std::vector<Value> best(static_cast<std::size_t>(room_ / unit) + 1, 0);
  for (std::size_t item = 0; item < values_.size(); ++item) {
    const auto time = static_cast<std::size_t>(times_[c][item] / unit);
    for (std::size_t at = best.size(); at-- > time;)
      best[at] = std::max(best[at], best[at - time] + values_[item]);
  }
  return best.back();
}

BeamStages::Partial BeamStages::empty_chain() const {
  Partial chain;
  chain.used.assign(problem_.members().size(), 0);
  for (TaskId item : problem_.graph().tasks()) {
    chain.open.push_back(static_cast<std::uint32_t>(problem_.before(item, weights_.filling).size()));
    if (chain.open.back() == 0) chain.ready.push_back(item);
  }
  std::ranges::sort(chain.ready, {}, [&](TaskId item) { return ranks_[item.index()]; });
  return chain;
}

/// Adds the extensions of a chain to the candidates.
void BeamStages::extend(std::size_t parent, Partial& chain) {
  for (std::uint32_t c = 0; c < chain.used.size(); ++c) {
    if (chain.used[c] == problem_.members()[c].size()) continue;
    find_loads(chain, c);
    for (Load& load : loads_) {
      const std::uint64_t code = chain.code ^ load.code;
      const Value value = chain.value + load.value - most_[c];
      candidates_.push_back({value, code + codes_[prices_.size() + c], parent, c, std::move(load)});
    }
  }
}

/// Finds the best of the first sets of items that fill a stage of the class, those of the highest values
/// first; half of the time neighbours in that order are exchanged at random.
void BeamStages::find_loads(Partial& chain, std::uint32_t c) {
  loads_.clear();
  next_ = chain.ready;
  if (random_.below(2) == 0)
    for (std::size_t i = 1; i < next_.size(); ++i)
      if (random_.below(2) == 0) std::swap(next_[i - 1], next_[i]);
  nodes_ = nodes_of_class;
  Load load;
  add_items(chain, c, 0, room_, load);
}

/// Adds items from a position of `next_` on; restores the chain's counts afterwards.
void BeamStages::add_items(Partial& chain, std::uint32_t c, std::size_t from, Time::rep room, Load& load) {
  --nodes_;
  bool is_full = true;
  const std::size_t end = next_.size();
  looks_ += end - from;
  for (std::size_t at = from; at < end && nodes_ > 0; ++at) {
    const TaskId item = next_[at];
    const Time::rep time = times_[c][item.index()];
    if (time > room) continue;
    is_full = false;
    load.items.push_back(item);
    load.value += values_[item.index()];
    load.code ^= codes_[item.index()];
    for (EdgeId id : problem_.after(item, weights_.filling)) {
      const TaskId next = problem_.next(id, weights_.filling);
      if (--chain.open[next.index()] == 0) next_.push_back(next);
    }
    add_items(chain, c, at + 1, room - time, load);
    for (EdgeId id : problem_.after(item, weights_.filling))
      ++chain.open[problem_.next(id, weights_.filling).index()];
    next_.resize(end);
    load.items.pop_back();
    load.value -= values_[item.index()];
    load.code ^= codes_[item.index()];
  }
  if (!load.items.empty() && (is_full || nodes_ == 0)) keep(load);
}

void BeamStages::keep(const Load& load) {
  if (loads_.size() == loads_of_class && load.value <= loads_.back().value) return;
  if (std::ranges::find(loads_, load.code, &Load::code) != loads_.end()) return;
  const auto place = std::ranges::upper_bound(loads_, load.value, std::greater{}, &Load::value);
  loads_.insert(place, load);
  if (loads_.size() > loads_of_class) loads_.pop_back();
}

BeamStages::Partial BeamStages::join(const Partial& parent, Candidate&& candidate) {
  Partial chain = parent;
  ++chain.used[candidate.processor_class];
  chain.item_count += candidate.load.items.size();
  chain.value = candidate.value;
  chain.code = candidate.code;
  std::erase_if(chain.ready, [&](TaskId item) {
    return std::ranges::find(candidate.load.items, item) != candidate.load.items.end();
  });
  for (TaskId item : candidate.load.items)
    for (EdgeId id : problem_.after(item, weights_.filling)) {
      const TaskId next = problem_.next(id, weights_.filling);
      if (--chain.open[next.index()] == 0 &&
          std::ranges::find(candidate.load.items, next) == candidate.load.items.end())
        chain.ready.push_back(next);
    }
  std::ranges::sort(chain.ready, {}, [&](TaskId item) { return ranks_[item.index()]; });
  steps_.push_back({parent.step, candidate.processor_class, std::move(candidate.load.items)});
  chain.step = steps_.size() - 1;
  return chain;
}

/// Returns the stages in the direction of the data, with the unused processors at the end.
Stages BeamStages::stages_of(const Partial& chain) const {
  std::vector<const Step*> steps;
  for (std::size_t at = chain.step; at > 0; at = steps_[at].before) steps.push_back(&steps_[at]);
  if (weights_.filling == Filling::from_sources) std::ranges::reverse(steps);
  Stages stages{{}, std::vector<std::uint32_t>(prices_.size())};
  std::vector<std::size_t> used(problem_.members().size(), 0);
  for (const Step* step : steps) {
    for (TaskId item : step->items)
      stages.stage_of[item.index()] = static_cast<std::uint32_t>(stages.chain.size());
    const std::uint32_t c = step->processor_class;
    stages.chain.push_back(problem_.members()[c][used[c]++]);
  }
  for (std::size_t c = 0; c < used.size(); ++c)
    while (used[c] < problem_.members()[c].size()) stages.chain.push_back(problem_.members()[c][used[c]++]);
  return stages;
}

}  // namespace takt::schedulers
