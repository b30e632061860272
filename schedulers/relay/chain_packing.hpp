#pragma once
/// Chains for processors with a few tasks each: filled stage by stage, as in bin packing.

#include <cstdint>
#include <vector>

#include "schedulers/relay/chain_search.hpp"

namespace takt::schedulers {

/// Returns chains with a load below `below`, best first; few, and possibly none.
///
/// With few tasks per processor, the result depends on which tasks are combined, and on which of different
/// processors: local search from an order's best cuts stays a few per cent above the optimum. Here a stage
/// is filled with those of the possible next tasks that leave the least time, by a knapsack problem (the
/// minimum bin slack of J. N. D. Gupta and J. C. Ho, "A new heuristic algorithm for the one-dimensional
/// bin-packing problem", Production Planning & Control 10, 1999), for each remaining class of processors;
/// the class with the least remaining time is next. This is repeated many times with different weights, from
/// the sources of the graph or from its sinks, for periods by bisection between `bound` and `below`.
/// Remaining tasks go to the last stage, and moves of tasks (search/stage_search.hpp) reduce loads above the
/// period.
///
/// Only for messages of equal cost between all processors and few tasks per processor on average; otherwise
/// empty. Subtracts the moves from `budget`, and one for every hundred knapsack steps. The same seed yields
/// the same result.
[[nodiscard]] std::vector<Chain> pack_chains(const Workload& workload, Time bound, Time below,
                                             std::uint64_t& budget, std::uint64_t seed);

}  // namespace takt::schedulers
