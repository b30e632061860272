#include "schedulers/relay/exact_chain.hpp"

#include <algorithm>

#include "schedulers/search/stage_loads.hpp"

namespace takt::schedulers {

ExactChain find_best_chain(const Workload& workload, Time bound, Stages known, std::size_t most_lower_sets,
                           std::uint64_t& budget) {
  auto period_of = [&](const Stages& stages) {
    return Time(StageLoads(workload, stages.chain, stages.stage_of, Routing::relay).repetition());
  };
  ExactChain result{std::move(known), Time{0}, bound};
  result.period = period_of(result.stages);
  result.bound = std::min(bound, result.period);
  while (result.bound < result.period) {
    // The bound itself is the most likely answer.
    const Time middle = result.bound == bound ? bound : result.bound + (result.period - result.bound) / 2;
    const LowerSetAnswer answer = find_relay_chain(
        workload, middle, static_cast<std::size_t>(std::min<std::uint64_t>(budget, most_lower_sets)));
    budget -= std::min<std::uint64_t>(budget, answer.lower_sets);
    if (answer.verdict == Verdict::unknown) break;
    if (answer.verdict == Verdict::yes) {
      result.stages = *answer.stages;
      result.period = period_of(result.stages);
    } else {
      result.bound = middle + Time{1};
    }
  }
  return result;
}

}  // namespace takt::schedulers
