#include "core/pictures/graph_drawing.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/graphs/levels.hpp"
#include "core/pictures/picture.hpp"
#include "core/stream_names.hpp"

namespace takt {

namespace {

constexpr double longest_label = 168;

void mark_critical_path(const TaskGraph& graph, GraphDrawing& drawing) {
  drawing.critical_tasks.resize(graph.task_count());
  drawing.critical_edges.resize(graph.edge_count());
  const std::vector<Time> levels = b_levels(graph);
  const auto longest = std::ranges::max_element(levels);
  if (longest == levels.end() || *longest == Time{0}) return;
  TaskId task(static_cast<std::size_t>(longest - levels.begin()));
  while (true) {
    drawing.critical_tasks[task.index()] = true;
    const Time rest = levels[task.index()] - graph.task(task).work;
    const auto next = std::ranges::find_if(graph.out_edges(task), [&](EdgeId id) {
      const Edge edge = graph.edge(id);
      return levels[edge.to.index()] + Time(static_cast<std::int64_t>(edge.size.count)) == rest;
    });
    if (next == graph.out_edges(task).end()) return;
    drawing.critical_edges[next->index()] = true;
    task = graph.edge(*next).to;
  }
}

}  // namespace

std::string_view label_of(std::string_view task) {
  return stream_task_name(task) ? task.substr(task.find('#') + 1) : task;
}

GraphDrawing draw(const TaskGraph& graph, double least_width) {
  GraphDrawing drawing;
  LayeredGraph layered;
  for (const TaskId task : graph.tasks()) {
    // The second line is the work and a processor, in smaller type.
    constexpr double small = 0.9;
    const double second = small * width_of(fmt::format("{} P999", graph.task(task).work.count()));
    drawing.widths.push_back(std::max(
        {least_width, second + 8, std::min(longest_label, width_of(label_of(graph.task(task).name))) + 16}));
  }
  layered.widths = drawing.widths;
  for (const EdgeId id : graph.edges())
    layered.edges.emplace_back(static_cast<std::uint32_t>(graph.edge(id).from.index()),
                               static_cast<std::uint32_t>(graph.edge(id).to.index()));
  drawing.layout = lay_out(layered);
  mark_critical_path(graph, drawing);
  return drawing;
}

}  // namespace takt
