#pragma once
/// Search for good chains by moving whole groups of tasks, then single ones.

#include <cstdint>
#include <span>
#include <vector>

#include "schedulers/relay/chain_search.hpp"
#include "schedulers/search/groups.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Every group on the processor that is then done first, groups in falling order of work: longest processing
/// time first (Graham 1969), for groups that say nothing to each other. Ties: the lower group, the lower
/// processor. O(n P + n log n) for n groups.
[[nodiscard]] Stages longest_first(const Workload& groups);

/// A stage for each of the groups that say much to each other (merged_groups.hpp), for as many groups as the
/// machine has processors, half of them, and so on: chains with direct messages for machines on which
/// messages are expensive. Nothing for graphs on which that would take long.
[[nodiscard]] std::vector<Stages> merged_stages(const Workload& workload);

/// The best few chains of a workload of one instance that are found by sharing out its groups, in each of the
/// given ways of grouping, and then its tasks. Groups without data between them begin as longest_first has
/// them, and what is found is never worse than that. Lowers `budget` by the moves tried, and stops at a load
/// that is not above `bound`. The same seed gives the same chains. A grouping is forgotten once it is shared
/// out, for its graph may be as large as the workload's.
[[nodiscard]] std::vector<Chain> search_groups(const Workload& workload, std::vector<Groups> groupings,
                                               std::vector<Stages> starts, Time bound, std::uint64_t& budget,
                                               std::uint64_t seed);

}  // namespace takt::schedulers
