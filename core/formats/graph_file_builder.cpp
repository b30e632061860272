#include "core/formats/graph_file_builder.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace takt {

void GraphFileBuilder::refuse(Place place, const std::string& message) const {
  throw ConfigError(place.in(file_), message);
}

void GraphFileBuilder::reserve(std::size_t tasks, std::size_t edges) {
  builder_.reserve(tasks);
  task_places_.reserve(tasks);
  edge_places_.reserve(edges);
}

TaskId GraphFileBuilder::add_task(Task task, Place place) {
  if (const std::optional<TaskId> first = find(task.name))
    refuse(place, fmt::format("two tasks have the name '{}'; the first one is in line {}", task.name,
                              task_places_[first->index()].line));
  task_places_.push_back(place);
  return builder_.add_task(std::move(task));
}

TaskId GraphFileBuilder::task(std::string_view name, Place place) {
  if (const std::optional<TaskId> found = find(name)) return *found;
  std::vector<std::string_view> known;
  for (const Task& each : builder_.tasks()) known.push_back(each.name);
  std::sort(known.begin(), known.end());
  refuse(place, unknown_name("task", name, std::move(known)));
}

void GraphFileBuilder::add_edge(DatumId datum, TaskId to, Place place) {
  builder_.add_edge(datum, to);
  edge_places_.push_back(place);
}

TaskGraph GraphFileBuilder::build() && {
  try {
    return std::move(builder_).build();
  } catch (const GraphError& error) {
    Place place;
    if (error.task) place = task_places_[error.task->index()];
    if (error.edge) place = edge_places_[error.edge->index()];
    refuse(place, error.what());
  }
}

}  // namespace takt
