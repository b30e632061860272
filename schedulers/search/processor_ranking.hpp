#pragma once
/// Orders of use for different processors or links.

#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Orders processors by their time for the whole work, then by id.
[[nodiscard]] std::vector<ProcessorId> fastest_first(const Workload& workload);

/// Starts with `first`; after each processor comes the one with the cheapest message from it, of these the
/// fastest, then the one with the lowest id. A message of mean size counts, with the overheads and gaps at
/// both ends. So the order completes a node, and a cluster, before the next one. O(P^2).
[[nodiscard]] std::vector<ProcessorId> nearest_first(const Workload& workload, ProcessorId first);

}  // namespace takt::schedulers
