#pragma once
/// Initial chains that give every processor its share of the work, whatever messages cost.

#include <vector>

#include "schedulers/relay/stages.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Returns a few topological orders, each cut so that every processor has its share of the work. With
/// expensive messages these are bad chains, but good starts. The best cuts (chain_partition.hpp) then use few
/// processors, and moves of single tasks do not reach the unused ones, since the first task that moves there
/// costs more than it saves.
///
/// Empty for workloads of several instances, and for more than 500 processors or one. O(n + m + P^2) each.
[[nodiscard]] std::vector<Stages> even_stages(const Workload& workload);

}  // namespace takt::schedulers
