#pragma once
/// Chains for processors that have a few tasks each: many partial chains at once, guided by prices.

#include <cstdint>
#include <span>
#include <vector>

#include "schedulers/relay/chain_search.hpp"

namespace takt::schedulers {

/// Chains with a load below `below`, best first; few, and none where none was found.
///
/// A beam search (after C. Blum, "Beam-ACO for simple assembly line balancing", INFORMS Journal on Computing
/// 20, 2008): of partial chains with the same number of stages the best are kept, and each goes on with every
/// class of processors that is left, filled in a few ways with tasks that could come next. What a stage is
/// worth is told by `prices`, one a task, that the linear relaxation over all sets of tasks that fit has
/// (packing_bound.hpp): its tasks' prices less the most that any tasks which fit would bring. In a chain that
/// wastes nothing every stage is worth 0; so it is known at once which of unlike processors a task is for,
/// and a loss with a large processor counts beside a loss with a small one. Without prices, a task's work is
/// its price.
///
/// Tried many times, with prices changed a little by a task's size and the longest path from it, from the
/// sources of the graph on or from its sinks, for periods between `bound` and the best one so far; what is
/// found is improved by moves (search/stage_search.hpp).
///
/// Only where messages cost the same between all processors and these have very few tasks each on average;
/// otherwise nothing. Lowers `budget` by the moves, and by one for some hundred tasks looked at. The same
/// seed gives the same result.
[[nodiscard]] std::vector<Chain> search_chain_beams(const Workload& workload, std::span<const double> prices,
                                                    Time bound, Time below, std::uint64_t& budget,
                                                    std::uint64_t seed);

}  // namespace takt::schedulers
