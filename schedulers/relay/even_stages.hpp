#pragma once
/// Chains to begin with that give every processor its share of the work, whatever messages cost.

#include <vector>

#include "schedulers/relay/stages.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// A few topological orders, each cut so that every processor has its share of the work. Where messages are
/// expensive these are bad chains, and good ones to begin with: from the best cuts (chain_partition.hpp),
/// which use few processors then, moves of single tasks do not reach those that are left out, since the first
/// task that goes there costs more than it saves.
///
/// Nothing for workloads of several instances, and for more than 500 processors or one. O(n + m + P^2) each.
[[nodiscard]] std::vector<Stages> even_stages(const Workload& workload);

}  // namespace takt::schedulers
