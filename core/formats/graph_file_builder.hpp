#pragma once
/// The common base of readers of graph files: tasks by name, and errors with positions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/place.hpp"
#include "core/graphs/task_graph.hpp"

namespace takt {

/// Builds a graph from a file. Every error is a ConfigError with the file's name and the position.
class GraphFileBuilder {
 public:
  explicit GraphFileBuilder(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void refuse(Place place, const std::string& message) const;

  /// Reserves memory for this many tasks and edges, which may become more.
  void reserve(std::size_t tasks, std::size_t edges);

  /// Throws if the name is taken.
  TaskId add_task(Task task, Place place);
  void set_work_table(TaskId task, std::vector<Time> times) {
    builder_.set_work_table(task, std::move(times));
  }

  void set_undirected() { builder_.set_undirected(); }
  void set_core_types(std::vector<std::string> names) { builder_.set_core_types(std::move(names)); }

  [[nodiscard]] std::optional<TaskId> find(std::string_view name) { return builder_.find(name); }
  /// Throws if there is no task of that name.
  [[nodiscard]] TaskId task(std::string_view name, Place place);

  DatumId add_datum(TaskId from, Bytes size) { return builder_.add_datum(from, size); }
  void add_edge(DatumId datum, TaskId to, Place place);

  [[nodiscard]] std::size_t edge_count() const { return edge_places_.size(); }

  [[nodiscard]] TaskGraph build() &&;

 private:
  std::string file_;
  TaskGraphBuilder builder_;
  std::vector<Place> task_places_, edge_places_;
};

}  // namespace takt
