#pragma once
/// Layers and levels of a task graph. All functions are O(n + m); results are indexed by task.
///
/// Terms follow Kwok and Ahmad, "Static scheduling algorithms for allocating directed task graphs to
/// multiprocessors" (1999). An edge counts as its data size, in ticks (the delay model).

#include <cstddef>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt {

/// Returns the longest path from an entry task, in edges.
[[nodiscard]] std::vector<std::size_t> layers_of(const TaskGraph& graph);

/// Returns the tasks of each layer, in ascending order of their ids.
[[nodiscard]] std::vector<std::vector<TaskId>> tasks_by_layer(const TaskGraph& graph);

/// Returns the b-level: longest path to an exit, work and edges, the task itself included.
[[nodiscard]] std::vector<Time> b_levels(const TaskGraph& graph);

/// Returns the t-level: longest path from an entry, work and edges, the task itself excluded.
[[nodiscard]] std::vector<Time> t_levels(const TaskGraph& graph);

/// Returns the static level: longest path to an exit, work only, the task itself included.
[[nodiscard]] std::vector<Time> static_levels(const TaskGraph& graph);

/// Returns the length of the longest path, work and edges; 0 for an empty graph.
[[nodiscard]] Time critical_path(const TaskGraph& graph);

/// Returns the length of the longest path, work only: no schedule of one instance is shorter.
[[nodiscard]] Time computation_critical_path(const TaskGraph& graph);

}  // namespace takt
