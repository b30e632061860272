#include "schedulers/relay/chain_search.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "schedulers/relay/chain_partition.hpp"
#include "schedulers/relay/exact_chain.hpp"
#include "schedulers/search/processor_ranking.hpp"
#include "schedulers/search/stage_search.hpp"
#include "schedulers/search/topological_order.hpp"

namespace takt::schedulers {

namespace {

/// Moves for one start, at least and for each additional item.
constexpr std::uint64_t least_moves = 1'000, moves_per_item = 200;
/// Words of lower sets that the exact search may hold.
constexpr std::size_t most_lower_set_words = 4'000'000;
constexpr std::size_t first_lower_sets = 20'000, most_lower_sets = 300'000;
/// Limits the table of all pairs of stages with direct messages.
constexpr std::size_t most_direct_stages = 500;
/// Other orders of the processors that are tried for one order of the items, and their steps.
constexpr std::size_t most_reorderings = 50, reordering_steps = 100'000, steps_per_budget = 64;
/// Chains kept of each kind.
constexpr std::size_t kept_chains = 3;

constexpr std::array first_rules{OrderRule::layer,   OrderRule::depth_first, OrderRule::least_live,
                                 OrderRule::b_level, OrderRule::largest,     OrderRule::random_depth_first,
                                 OrderRule::random};

/// The best few chains with one kind of routing.
class BestChains {
 public:
  void add(const StageLoads& loads) {
    const Time load(loads.repetition());
    auto place = std::upper_bound(chains_.begin(), chains_.end(), load,
                                  [](Time value, const Chain& chain) { return value < chain.load; });
    if (place - chains_.begin() >= static_cast<std::ptrdiff_t>(kept_chains)) return;
    chains_.insert(
        place, {{loads.chain(), loads.stages()}, ChainRoutes(loads.stage_count(), loads.routing()), load});
    if (chains_.size() > kept_chains) chains_.pop_back();
  }
  [[nodiscard]] bool empty() const { return chains_.empty(); }
  [[nodiscard]] const Chain& first() const { return chains_.front(); }
  [[nodiscard]] const std::vector<Chain>& chains() const { return chains_; }

 private:
  std::vector<Chain> chains_;
};

/// Appends processors that are not in a chain to its end.
void add_idle(std::span<const ProcessorId> processors, Stages& stages) {
  for (ProcessorId p : processors)
    if (stages.chain.size() < most_direct_stages &&
        std::find(stages.chain.begin(), stages.chain.end(), p) == stages.chain.end())
      stages.chain.push_back(p);
}

class ChainSearch {
 public:
  ChainSearch(const Workload& workload, Time bound, std::uint64_t& budget, std::uint64_t seed)
      : workload_(workload), bound_(bound), budget_(budget), random_(seed) {
    if (workload.links_are_equal())
      for (ProcessorId p : workload.machine().processors()) processors_.push_back(p);
    else
      processors_ = nearest_first(workload, fastest_first(workload).front());
    result_.relay_bound = bound;
  }

  ChainSearchResult run() {
    for (std::size_t i = 0; !is_done(); ++i) {
      const OrderRule rule = i < first_rules.size() ? first_rules[i]
                             : i % 2 == 0           ? OrderRule::random
                                                    : OrderRule::random_depth_first;
      const std::vector<TaskId> order = topological_order(workload_.items(), rule, random_);
      spend(order.size());
      // An order with cheap cuts need not be an order with good moves of items.
      start(order, !workload_.links_are_equal() && i >= first_rules.size());
      if (i == 0) prove_relays(first_lower_sets);
      if (i + 1 == first_rules.size()) prove_relays(most_lower_sets);
      if (!workload_.is_uniform()) reorder_processors(i);
      if (result_.relay_is_proven && workload_.machine().communication_is_free()) break;
    }
    for (const BestChains* best : {&relays_, &directs_})
      result_.chains.insert(result_.chains.end(), best->chains().begin(), best->chains().end());
    std::ranges::stable_sort(result_.chains, std::less{}, &Chain::load);
    return std::move(result_);
  }

 private:
  void spend(std::uint64_t amount) { budget_ -= std::min(budget_, amount); }

  [[nodiscard]] bool is_done() const {
    auto meets_bound = [&](const BestChains& best) { return !best.empty() && best.first().load <= bound_; };
    // At least one chain is required, whatever the budget.
    return meets_bound(relays_) || meets_bound(directs_) || (budget_ == 0 && !relays_.empty());
  }

  void improve(StageLoads& loads) {
    std::uint64_t slice = std::min(budget_, least_moves + moves_per_item * workload_.item_count());
    const std::uint64_t before = slice;
    improve_stages(loads, bound_, slice, random_);
    spend(before - slice);
  }

  /// Returns the best cuts for relays; with `may_reorder` also for other orders of the processors, each a
  /// small change of the best one so far.
  ChainPartition cut(const std::vector<TaskId>& order, bool may_reorder) {
    ChainPartition best = ChainPartitioner(workload_, order, processors_).best(bound_);
    if (!may_reorder) return best;
    const std::size_t steps = order.size() * processors_.size() + 1;
    const std::size_t tries = std::min(most_reorderings, reordering_steps / steps);
    for (std::size_t i = 0; i < tries && best.period > bound_ && budget_ > 0; ++i) {
      spend(1 + steps / steps_per_budget);
      const std::vector<ProcessorId> before = processors_;
      change_processors();
      ChainPartition other = ChainPartitioner(workload_, order, processors_).best(bound_);
      if (other.period <= best.period)
        best = std::move(other);
      else
        processors_ = before;
    }
    return best;
  }

  /// Reverses a range of the processors, or exchanges it with the range after it.
  void change_processors() {
    const std::size_t count = processors_.size();
    std::array<std::size_t, 3> ends{random_.below(count + 1), random_.below(count + 1),
                                    random_.below(count + 1)};
    std::ranges::sort(ends);
    const auto at = [&](std::size_t i) { return processors_.begin() + static_cast<std::ptrdiff_t>(i); };
    if (random_.below(2) == 0)
      std::reverse(at(ends[0]), at(ends[2]));
    else
      std::rotate(at(ends[0]), at(ends[1]), at(ends[2]));
  }

  /// Cuts the order optimally for relays, and improves the result with both kinds of routing.
  void start(const std::vector<TaskId>& order, bool may_reorder) {
    Stages stages = stages_of(cut(order, may_reorder), order);
    if (!result_.relay_is_proven) {
      StageLoads loads(workload_, stages.chain, stages.stage_of, Routing::relay);
      improve(loads);
      relays_.add(loads);
    }
    if (workload_.machine().communication_is_free() || is_done()) return;
    // With direct messages more processors may pay than with relays.
    if (stages.chain.size() > most_direct_stages) return;
    add_idle(processors_, stages);
    StageLoads loads(workload_, stages.chain, stages.stage_of, Routing::direct);
    improve(loads);
    directs_.add(loads);
  }

  /// Finds the best relay chain of all, within this number of lower sets.
  void prove_relays(std::size_t lower_sets) {
    if (workload_.replicas() > 1 || result_.relay_is_proven || is_done()) return;
    const std::size_t words = workload_.item_count() / 64 + 1;
    const ExactChain exact = find_best_chain(workload_, result_.relay_bound, relays_.first().stages,
                                             std::min(lower_sets, most_lower_set_words / words), budget_);
    relays_.add(StageLoads(workload_, exact.stages.chain, exact.stages.stage_of, Routing::relay));
    result_.relay_bound = exact.bound;
    result_.relay_is_proven = exact.is_proven();
  }

  /// Different processors are ordered by id, then fastest first, slowest first, then at random. With
  /// different links, neighbours follow each other, later from another first processor; every second time the
  /// order found for one order of the items is tried on the next one.
  void reorder_processors(std::size_t start) {
    if (!workload_.links_are_equal()) {
      if (start >= 2 && start % 2 == 0)
        processors_ = nearest_first(workload_, ProcessorId(random_.below(processors_.size())));
      return;
    }
    if (start <= 1) {
      processors_ = fastest_first(workload_);
      if (start == 1) std::ranges::reverse(processors_);
    } else
      for (std::size_t i = processors_.size(); i > 1; --i)
        std::swap(processors_[i - 1], processors_[random_.below(i)]);
  }

  const Workload& workload_;
  Time bound_;
  std::uint64_t& budget_;
  SearchRandom random_;
  std::vector<ProcessorId> processors_;
  BestChains relays_, directs_;
  ChainSearchResult result_;
};

}  // namespace

ChainSearchResult search_chains(const Workload& workload, Time bound, std::uint64_t& budget,
                                std::uint64_t seed) {
  return ChainSearch(workload, bound, budget, seed).run();
}

std::vector<Chain> improve_chains(const Workload& workload, std::span<const Stages> starts, Time bound,
                                  std::uint64_t& budget, std::uint64_t seed) {
  SearchRandom random(seed);
  std::vector<ProcessorId> processors;
  for (ProcessorId p : workload.machine().processors()) processors.push_back(p);
  BestChains best;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    Stages stages = starts[i];
    if (stages.chain.size() > most_direct_stages) continue;
    add_idle(processors, stages);
    StageLoads loads(workload, stages.chain, stages.stage_of, Routing::direct);
    std::uint64_t slice = budget / (starts.size() - i);
    budget -= slice;
    improve_stages(loads, bound, slice, random);
    budget += slice;
    best.add(loads);
    if (best.first().load <= bound) break;
  }
  return best.chains();
}

}  // namespace takt::schedulers
