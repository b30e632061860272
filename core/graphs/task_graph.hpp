#pragma once
/// The task graph: the work on one frame. Immutable, acyclic, in compressed sparse rows.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/graphs/boxed.hpp"
#include "core/graphs/moldable.hpp"
#include "core/ids.hpp"
#include "core/units.hpp"

namespace takt {

/// A task: a piece of work done once for every instance (frame).
struct Task {
  std::string name;
  /// Time on a processor of speed 1.
  Time work{0};
  /// A stateless task may run different instances on different processors.
  bool stateless = false;
  /// A moldable task may run on several processors simultaneously; its work is then its time on one.
  Boxed<MoldableProfile> moldable = {};

  /// Returns the time on this many processors of speed 1, in ticks: the work if it is not moldable.
  [[nodiscard]] double time_on(std::size_t processors) const {
    return moldable ? moldable->time(work, processors) : static_cast<double>(work.count());
  }
  /// Returns the largest useful number of the available processors; one if it is not moldable. O(1).
  [[nodiscard]] std::size_t most_processors(std::size_t available) const {
    return moldable ? std::min(available, moldable->limit().value_or(available)) : 1;
  }

  friend bool operator==(const Task&, const Task&) = default;
};

/// Data produced by one task and consumed by another.
struct Edge {
  TaskId from;
  TaskId to;
  Bytes size;
  /// Edges of one task that carry the same datum cross a processor boundary once, not once each.
  DatumId datum;

  friend bool operator==(const Edge&, const Edge&) = default;
};

/// An acyclic directed graph of tasks. Build it with TaskGraphBuilder.
class TaskGraph {
 public:
  TaskGraph() = default;

  [[nodiscard]] std::size_t task_count() const { return tasks_.size(); }
  [[nodiscard]] std::size_t edge_count() const { return arcs_.size(); }
  [[nodiscard]] std::size_t datum_count() const { return one_datum_an_edge_ ? arcs_.size() : data_.size(); }
  [[nodiscard]] auto tasks() const { return ids<TaskId>(tasks_.size()); }
  [[nodiscard]] auto edges() const { return ids<EdgeId>(arcs_.size()); }

  [[nodiscard]] const Task& task(TaskId id) const { return tasks_[id.index()]; }
  /// Returns an edge assembled from its stored parts.
  [[nodiscard]] Edge edge(EdgeId id) const {
    const Arc& arc = arcs_[id.index()];
    return {arc.from, arc.to, arc.size, one_datum_an_edge_ ? DatumId(id.index()) : datum_of_[id.index()]};
  }
  [[nodiscard]] Bytes datum_size(DatumId id) const {
    return one_datum_an_edge_ ? arcs_[id.index()].size : data_[id.index()].size;
  }
  /// Reports whether datum i is that of edge i, and there are no others.
  [[nodiscard]] bool has_one_datum_an_edge() const { return one_datum_an_edge_; }
  /// Returns the task that produces a datum.
  [[nodiscard]] TaskId datum_task(DatumId id) const {
    return one_datum_an_edge_ ? arcs_[id.index()].from : data_[id.index()].task;
  }

  /// Return the edges that leave or enter a task, in the order in which they were added.
  [[nodiscard]] std::span<const EdgeId> out_edges(TaskId id) const { return row(out_offsets_, out_, id); }
  [[nodiscard]] std::span<const EdgeId> in_edges(TaskId id) const { return row(in_offsets_, in_, id); }

  /// Returns a topological order: by layer (longest path in edges from an entry), then by id.
  [[nodiscard]] std::span<const TaskId> topological_order() const { return order_; }

  /// Returns the work of a task on one processor of an unrelated-machines graph (a table of times instead of
  /// speeds); empty if the graph has no such table. Columns are processors 0, 1, ....
  [[nodiscard]] std::optional<Time> work_on(TaskId id, ProcessorId processor) const {
    if (processor.index() >= table_columns_) return std::nullopt;
    return work_table_[id.index() * table_columns_ + processor.index()];
  }
  [[nodiscard]] bool has_work_table() const { return table_columns_ > 0; }
  [[nodiscard]] std::size_t work_table_columns() const { return table_columns_; }
  /// Returns the names of the table's columns if they are types of cores instead of processors: the graph
  /// fits no machine before `with_core_types` (core/graphs/core_types.hpp).
  [[nodiscard]] const std::vector<std::string>& core_types() const { return core_types_; }

  /// Reports whether the edges have no direction: tasks interact without an order (a task interaction graph).
  /// Each edge then leads from the task mentioned first to the other one.
  [[nodiscard]] bool is_undirected() const { return is_undirected_; }

  [[nodiscard]] std::optional<TaskId> find(std::string_view name) const;

  /// Returns the graph with these tasks declared stateless.
  [[nodiscard]] TaskGraph with_stateless(std::span<const TaskId> tasks) const;

  /// Return the sum and the maximum of the tasks' work.
  [[nodiscard]] Time total_work() const;
  [[nodiscard]] Time largest_work() const;
  /// Reports whether any task is moldable.
  [[nodiscard]] bool is_moldable() const { return is_moldable_; }

  /// Compares tasks, data and edges with equal ids.
  friend bool operator==(const TaskGraph&, const TaskGraph&) = default;

 private:
  friend class TaskGraphBuilder;

  static std::span<const EdgeId> row(const std::vector<std::uint32_t>& offsets,
                                     const std::vector<EdgeId>& row, TaskId id) {
    return {row.data() + offsets[id.index()], row.data() + offsets[id.index() + 1]};
  }

  struct Arc {
    TaskId from, to;
    Bytes size;
    friend bool operator==(const Arc&, const Arc&) = default;
  };
  struct Datum {
    TaskId task;
    Bytes size;
    friend bool operator==(const Datum&, const Datum&) = default;
  };

  std::vector<Task> tasks_;
  std::vector<Arc> arcs_;
  /// Data then need no lists, which take 72 MB for three million edges.
  bool one_datum_an_edge_ = true;
  std::vector<DatumId> datum_of_;
  std::vector<Datum> data_;
  std::vector<std::uint32_t> out_offsets_{0}, in_offsets_{0};
  std::vector<EdgeId> out_, in_;
  std::vector<TaskId> order_;
  bool is_moldable_ = false;
  bool is_undirected_ = false;
  std::size_t table_columns_ = 0;
  std::vector<Time> work_table_;
  std::vector<std::string> core_types_;
};

/// An error in a task graph, with the responsible task or edge, whose position a reader can
/// report.
struct GraphError : ConfigError {
  explicit GraphError(const std::string& message, std::optional<TaskId> blamed_task = {},
                      std::optional<EdgeId> blamed_edge = {})
      : ConfigError(message), task(blamed_task), edge(blamed_edge) {}

  std::optional<TaskId> task;
  std::optional<EdgeId> edge;
};

/// An index of tasks by name. Open addressing over the tasks themselves, which contain the names: 16 to 32
/// bytes per task, compared with a hundred for a map with copies.
class NameIndex {
 public:
  /// Returns the first added task of that name; `tasks` holds all of them. O(1) expected.
  [[nodiscard]] std::optional<TaskId> find(std::string_view name, std::span<const Task> tasks) const;
  /// Adds the tasks from `first` on, except those with existing names; returns the first of
  /// these.
  std::optional<TaskId> add_from(TaskId first, std::span<const Task> tasks);
  void reserve(std::size_t count);

 private:
  static constexpr std::uint32_t no_task = UINT32_MAX;
  struct Slot {
    /// Hash of the name, which distinguishes it from most others.
    std::uint32_t hash = 0;
    std::uint32_t task = no_task;
  };

  /// Returns the slot of the name, or the slot for it.
  [[nodiscard]] std::size_t place_of(std::string_view name, std::uint32_t hash,
                                     std::span<const Task> tasks) const;
  void grow(std::size_t size);

  /// A power of two, at least half of them free.
  std::vector<Slot> slots_;
};

/// Collects tasks and edges, then checks and freezes them.
class TaskGraphBuilder {
 public:
  TaskId add_task(Task task);
  /// Reserves memory for this many tasks, which may become more.
  void reserve(std::size_t tasks);
  /// Reserves memory for an upper bound: untouched memory costs nothing.
  void expect(std::size_t tasks, std::size_t edges);
  [[nodiscard]] std::span<const Task> tasks() const { return graph_.tasks_; }
  /// Returns the first task of that name so far. O(1) expected, plus O(1) for each task added since.
  [[nodiscard]] std::optional<TaskId> find(std::string_view name);
  /// Indexes the names of the tasks added since.
  void index_names();
  /// Finds among the indexed names only; thread-safe for concurrent calls. O(1) expected.
  [[nodiscard]] std::optional<TaskId> find_indexed(std::string_view name) const {
    return names_.find(name, graph_.tasks_);
  }

  /// Adds a datum that a task produces and several edges can carry.
  DatumId add_datum(TaskId from, Bytes size);

  /// Adds an edge with its own datum.
  EdgeId add_edge(TaskId from, TaskId to, Bytes size);
  /// Adds an edge from the datum's task that carries this datum.
  EdgeId add_edge(DatumId datum, TaskId to);

  /// Sets the times of one task on processors 0, 1, ...; all tasks or none must have them, equally many.
  /// Their mean, rounded to nearest, becomes the task's work.
  void set_work_table(TaskId id, std::vector<Time> times);
  /// Names the columns of the work tables: types of cores instead of processors.
  void set_core_types(std::vector<std::string> names) { graph_.core_types_ = std::move(names); }

  void set_undirected() { graph_.is_undirected_ = true; }

  /// Returns the graph. Throws GraphError for a cycle (naming its tasks), two tasks of one name, negative
  /// work, a task with an edge to itself, an incomplete work table, an invalid moldable profile, or so much
  /// work and data that a path's length could overflow. O(n + m).
  [[nodiscard]] TaskGraph build() &&;

 private:
  void take_work_tables();
  void check_parts();
  void list_data();
  void forget_listed_data();

  TaskGraph graph_;
  NameIndex names_;
  /// Number of indexed tasks, and the first one with a duplicate name.
  std::size_t named_ = 0;
  std::optional<TaskId> doubled_;
  std::vector<std::vector<Time>> tables_;
};

}  // namespace takt
