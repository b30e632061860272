#pragma once
/// Chains for processors that have a few tasks each: filled stage by stage, like bins.

#include <cstdint>
#include <vector>

#include "schedulers/relay/chain_search.hpp"

namespace takt::schedulers {

/// Chains with a load below `below`, best first; few, and none where none was found.
///
/// Where a processor has a few tasks, which tasks go together decides, and which of processors with different
/// speeds gets them: local search from an order's best cuts stays some per cent above what is possible. Here
/// a stage is filled with those of the tasks that could come next which leave least time over, by a knapsack
/// problem (the minimum bin slack of J. N. D. Gupta and J. C. Ho, "A new heuristic algorithm for the
/// one-dimensional bin-packing problem", Production Planning & Control 10, 1999), for each class of
/// processors that is left; the class with the least left over comes next. This is tried many times with
/// different weights, from the sources of the graph on or from its sinks, for periods by bisection between
/// `bound` and `below`; tasks that are left over go to the last stage, and moves of tasks
/// (search/stage_search.hpp) mend what is above the period.
///
/// Only where messages cost the same between all processors and these have a few tasks each on average;
/// otherwise nothing. Lowers `budget` by the moves, and by one for every hundred steps of a knapsack. The
/// same seed gives the same result.
[[nodiscard]] std::vector<Chain> pack_chains(const Workload& workload, Time bound, Time below,
                                             std::uint64_t& budget, std::uint64_t seed);

}  // namespace takt::schedulers
