#pragma once
/// Pictures of task graphs and of networks.

#include <span>
#include <string>

#include "core/schedule.hpp"
#include "core/task_graph.hpp"

namespace takt {

/// The graph as SVG, layer below layer (core/pictures/layered_layout.hpp): a box for each task with its name
/// and work, a line for each edge with its size where that can be read, the critical path in bold. With the
/// processor of each task, boxes are coloured by it; empty without.
[[nodiscard]] std::string graph_to_svg(const TaskGraph& graph, std::span<const ProcessorId> processors = {});

/// Where each task is computed, of several processors the first; of a task that is computed nowhere,
/// processor 0.
[[nodiscard]] std::vector<ProcessorId> processors_of(const Schedule& schedule, const TaskGraph& graph);

}  // namespace takt
