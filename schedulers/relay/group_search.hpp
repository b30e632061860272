#pragma once
/// Search for good chains by moving whole groups of tasks, then single ones.

#include <cstdint>
#include <span>
#include <vector>

#include "schedulers/relay/chain_search.hpp"
#include "schedulers/search/groups.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Puts every group on the processor that then finishes first, groups in falling order of work: longest
/// processing time first (Graham 1969), for groups without communication. Ties: the lower group, the lower
/// processor. O(n P + n log n) for n groups.
[[nodiscard]] Stages longest_first(const Workload& groups);

/// Returns one stage per group of strongly communicating tasks (merged_groups.hpp), for as many groups as the
/// machine has processors, half of them, and so on: chains with direct messages for machines with expensive
/// messages. Empty for graphs for which that would take long.
[[nodiscard]] std::vector<Stages> merged_stages(const Workload& workload);

/// Returns the best few chains of a workload of one instance found by distributing its groups, for each of
/// the groupings, and then its tasks. Groups without data between them start as in longest_first, and the
/// result is never worse than that. Subtracts tried moves from `budget`, and stops at a load that meets
/// `bound`. The same seed yields the same chains. A grouping is freed once it is distributed, for its graph
/// may be as large as the workload's.
[[nodiscard]] std::vector<Chain> search_groups(const Workload& workload, std::vector<Groups> groupings,
                                               std::vector<Stages> starts, Time bound, std::uint64_t& budget,
                                               std::uint64_t seed);

}  // namespace takt::schedulers
