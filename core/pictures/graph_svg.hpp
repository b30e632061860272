#pragma once
/// Graphs and networks drawn without a browser.

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/picture.hpp"
#include "core/schedule.hpp"
#include "core/task_graph.hpp"

namespace takt {

/// A graph (core/pictures/web/src/data.ts) at its places. Task graphs: a box for each task with its name,
/// work and processor, a line for each edge with its size where that can be read, the critical path in bold.
/// Interaction graphs: lines as thick as what goes over them. Networks: both links between two nodes as one
/// line, as thick as the busier one is busy; where all nodes are linked with all, only lines that tell
/// something. Levels of a machine: a tree. O(nodes + edges log edges).
[[nodiscard]] Drawing svg_of_graph(const nlohmann::ordered_json& view);

/// The task graph as a file of its own; with the processor of each task, boxes are coloured by it.
[[nodiscard]] std::string graph_to_svg(const TaskGraph& graph, std::span<const ProcessorId> processors = {});

/// Where each task is computed, of several processors the first; of a task that is computed nowhere,
/// processor 0.
[[nodiscard]] std::vector<ProcessorId> processors_of(const Schedule& schedule, const TaskGraph& graph);

}  // namespace takt
