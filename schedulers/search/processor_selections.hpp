#pragma once
/// Selections of processors of a machine, for different processors or links.

#include <vector>

#include "core/ids.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Returns at most `most` selections of `count` processors. If there are no more than that, up to exchanges
/// of interchangeable ones (processor_kinds.hpp), returns all. Otherwise returns the fastest ones, those with
/// the least total time if each task goes to its fastest one, and neighbours (processor_orders.hpp) of one
/// processor of each kind.
[[nodiscard]] std::vector<std::vector<ProcessorId>> selections(const Workload& workload, std::size_t count,
                                                               std::size_t most);

/// Returns the graph for these processors in this order: a table of times, if any, has their columns.
[[nodiscard]] TaskGraph for_processors(const TaskGraph& graph, const std::vector<ProcessorId>& processors);

}  // namespace takt::schedulers
