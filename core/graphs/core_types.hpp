#pragma once
/// Work by type of core becomes work by processor.

#include "core/graphs/task_graph.hpp"
#include "core/platform.hpp"

namespace takt {

/// Returns the graph with the work of each task on each processor of the platform, if its work is given by
/// type of core; otherwise the graph itself. Types of the graph that the platform lacks are left out. Throws
/// ConfigError if the platform has no types of cores, or one that the graph does not know. O(tasks x
/// processors).
[[nodiscard]] TaskGraph with_core_types(TaskGraph graph, const Platform& platform);

}  // namespace takt
