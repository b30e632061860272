#pragma once
/// Orders in which processors are taken into use where they, or their links, differ.

#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// By the time in which they would do the whole work, then by number.
[[nodiscard]] std::vector<ProcessorId> fastest_first(const Workload& workload);

/// Begins with `first`; after each processor comes the one to which it sends most cheaply, of these the
/// fastest, then the one with the lowest number. A message of mean size counts, with the overheads and gaps
/// at both ends. So a node is used up before the next one, a cluster before the next one. O(P^2).
[[nodiscard]] std::vector<ProcessorId> nearest_first(const Workload& workload, ProcessorId first);

}  // namespace takt::schedulers
