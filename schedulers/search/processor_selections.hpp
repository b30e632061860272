#pragma once
/// Which processors of a machine to use, where it matters.

#include <vector>

#include "core/ids.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Selections of `count` processors, `most` at most: all there are, up to exchanges of processors that stand
/// for each other (processor_kinds.hpp), if these are not more; otherwise the fastest ones, those that do the
/// work in the least time if each task goes where it takes least, and neighbours (processor_orders.hpp) of
/// one processor of each kind.
[[nodiscard]] std::vector<std::vector<ProcessorId>> selections(const Workload& workload, std::size_t count,
                                                               std::size_t most);

/// The graph for these processors alone, in this order: its table of times, if it has one, has their columns.
[[nodiscard]] TaskGraph for_processors(const TaskGraph& graph, const std::vector<ProcessorId>& processors);

}  // namespace takt::schedulers
