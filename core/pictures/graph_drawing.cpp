#include "core/pictures/graph_drawing.hpp"

#include <algorithm>

#include "core/levels.hpp"
#include "core/pictures/picture.hpp"
#include "core/pictures/text_fill.hpp"

namespace takt {

namespace {

constexpr std::size_t longest_label = 24;
/// Letters of the box' second line at least.
constexpr double least_box_width = 46;

std::string shortened(const std::string& name) {
  if (letters_of(name) <= longest_label) return name;
  // The end tells names apart as often as the beginning; never inside a letter of several bytes.
  constexpr std::size_t part = longest_label / 2 - 1;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(name[at]) & 0xC0U) == 0x80U;
  };
  std::size_t begin = part, end = name.size() - part;
  while (begin > 0 && continues(begin)) --begin;
  while (end < name.size() && continues(end)) ++end;
  return name.substr(0, begin) + "…" + name.substr(end);
}

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
      const Edge& edge = graph.edge(id);
      return levels[edge.to.index()] + Time(static_cast<std::int64_t>(edge.size.count)) == rest;
    });
    if (next == graph.out_edges(task).end()) return;
    drawing.critical_edges[next->index()] = true;
    task = graph.edge(*next).to;
  }
}

}  // namespace

GraphDrawing draw(const TaskGraph& graph) {
  GraphDrawing drawing;
  LayeredGraph layered;
  for (const TaskId task : graph.tasks()) {
    drawing.labels.push_back(shortened(graph.task(task).name));
    drawing.widths.push_back(std::max(least_box_width, width_of(drawing.labels.back()) + 16));
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
