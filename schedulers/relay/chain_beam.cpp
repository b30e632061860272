#include "schedulers/relay/chain_beam.hpp"

#include <algorithm>
#include <cstddef>

#include "schedulers/relay/beam_stages.hpp"
#include "schedulers/search/stage_search.hpp"

namespace takt::schedulers {

namespace {

/// With more tasks per stage, an order's cuts and knapsacks (chain_packing.hpp) are as good.
constexpr std::size_t most_tasks_per_beam_stage = 6;
/// Limits the table of all pairs of stages with direct messages.
constexpr std::size_t most_beam_stages = 500;
constexpr std::size_t most_beam_chains = 3;
/// Examined tasks that take as long as a move.
constexpr std::uint64_t looks_per_move = 100;
/// Moves per item that improve a found chain; the share of the budget that they may take.
constexpr std::uint64_t beam_moves_per_item = 20, beam_moves_share = 20;

class BeamSearch {
 public:
  BeamSearch(const Workload& workload, std::span<const double> prices, std::uint64_t& budget,
             std::uint64_t seed)
      : workload_(workload),
        budget_(budget),
        random_(seed),
        problem_(workload),
        beam_(problem_, prices, random_) {}

  std::vector<Chain> run(Time bound, Time below) {
    Time best = below;
    while (best > bound && budget_ > 0) {
      std::uint64_t looks = budget_ * looks_per_move;
      const std::optional<Stages> stages = beam_.fill(draw_period(bound, best), draw_weights(), looks);
      spend(budget_ - std::min(budget_, looks / looks_per_move));
      if (stages) best = std::min(best, improve(*stages, bound));
    }
    std::erase_if(chains_, [&](const Chain& chain) { return chain.load >= below; });
    return std::move(chains_);
  }

 private:
  void spend(std::uint64_t amount) { budget_ -= std::min(budget_, amount); }

  /// Draws a period, mostly slightly below the best one: values near the bound are rarely feasible.
  Time draw_period(Time bound, Time best) {
    const auto gap = static_cast<std::uint64_t>((best - bound).count()) >> (2 * random_.below(4));
    constexpr std::uint64_t most = 1U << 30;
    return best - Time{1} -
           Time(static_cast<Time::rep>(random_.below(std::clamp<std::uint64_t>(gap, 1, most))));
  }

  BeamWeights draw_weights() {
    BeamWeights weights;
    weights.filling = random_.below(2) == 0 ? Filling::from_sources : Filling::from_sinks;
    weights.size = static_cast<std::int64_t>(random_.below(3) * random_.below(25));
    weights.level = static_cast<std::int64_t>(random_.below(4) * random_.below(30));
    if (problem_.message() > 0) weights.messages = random_.below(4) == 0 ? 2 : 1;
    weights.data = static_cast<std::int64_t>(random_.below(3)) * 50;
    return weights;
  }

  /// Returns the least load with relays or direct messages, after moves of tasks.
  Time improve(const Stages& stages, Time bound) {
    Time least = Time::max();
    for (Routing routing : {Routing::relay, Routing::direct}) {
      if (routing == Routing::direct && workload_.machine().communication_is_free()) continue;
      StageLoads loads(workload_, stages.chain, stages.stage_of, routing);
      std::uint64_t slice =
          std::min(beam_moves_per_item * workload_.item_count(), budget_ / beam_moves_share + 1);
      const std::uint64_t before = slice;
      improve_stages(loads, bound, slice, random_);
      spend(before - slice);
      const Time load(loads.repetition());
      chains_.push_back({{loads.chain(), loads.stages()}, ChainRoutes(loads.stage_count(), routing), load});
      least = std::min(least, load);
    }
    std::ranges::stable_sort(chains_, {}, &Chain::load);
    if (chains_.size() > most_beam_chains) chains_.erase(chains_.begin() + most_beam_chains, chains_.end());
    return least;
  }

  const Workload& workload_;
  std::uint64_t& budget_;
  SearchRandom random_;
  PackingProblem problem_;
  BeamStages beam_;
  std::vector<Chain> chains_;
};

}  // namespace

std::vector<Chain> search_chain_beams(const Workload& workload, std::span<const double> prices, Time bound,
                                      Time below, std::uint64_t& budget, std::uint64_t seed) {
  const std::size_t processors = workload.machine().processor_count();
  if (!workload.links_are_equal() || processors < 2 || processors > most_beam_stages ||
      workload.replicas() != 1 || workload.item_count() < 2 ||
      workload.item_count() > processors * most_tasks_per_beam_stage)
    return {};
  return BeamSearch(workload, prices, budget, seed).run(bound, below);
}

}  // namespace takt::schedulers
