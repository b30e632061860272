#pragma once
/// Chains for processors with a few tasks each: a beam search guided by prices.

#include <cstdint>
#include <span>
#include <vector>

#include "schedulers/relay/chain_search.hpp"

namespace takt::schedulers {

/// Returns chains with a load below `below`, best first; few, and possibly none.
///
/// A beam search (after C. Blum, "Beam-ACO for simple assembly line balancing", INFORMS Journal on Computing
/// 20, 2008): of partial chains with the same number of stages the best are kept, and each is extended with
/// every remaining class of processors, filled in a few ways with possible next tasks. `prices`, one per
/// task, define the value of a stage. They come from the linear relaxation over all sets of tasks that fit
/// (packing_bound.hpp). The value is the sum of its tasks' prices less the highest sum of any tasks that fit.
/// In a chain without waste every stage has the value 0; so the prices show immediately which of different
/// processors a task is for, and make losses on large and small processors comparable. Without prices, a
/// task's price is its work.
///
/// Repeated many times, with prices changed slightly by a task's size and the longest path from it, from the
/// sources of the graph or from its sinks, for periods between `bound` and the best one so far; moves improve
/// the results (search/stage_search.hpp).
///
/// Only for messages of equal cost between all processors and very few tasks per processor on average;
/// otherwise empty. Subtracts the moves from `budget`, and one for some hundred examined tasks. The same seed
/// yields the same result.
[[nodiscard]] std::vector<Chain> search_chain_beams(const Workload& workload, std::span<const double> prices,
                                                    Time bound, Time below, std::uint64_t& budget,
                                                    std::uint64_t seed);

}  // namespace takt::schedulers
