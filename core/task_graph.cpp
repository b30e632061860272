#include "core/task_graph.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt {

namespace {

/// Edge ids grouped by the task on one of their ends, as offsets and rows.
void fill_rows(std::size_t task_count, const std::vector<Edge>& edges, TaskId Edge::*end,
               std::vector<std::uint32_t>& offsets, std::vector<EdgeId>& rows) {
  offsets.assign(task_count + 1, 0);
  for (const Edge& edge : edges) ++offsets[(edge.*end).index() + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  rows.resize(edges.size());
  std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t i = 0; i < edges.size(); ++i) rows[next[(edges[i].*end).index()]++] = EdgeId(i);
}

/// Names of the tasks of one cycle among the tasks that Kahn's algorithm could not order.
std::vector<std::string> find_cycle(const TaskGraph& graph, const std::vector<std::uint32_t>& open_inputs) {
  auto blocked = [&](TaskId id) { return open_inputs[id.index()] > 0; };
  TaskId at;
  for (TaskId id : graph.tasks())
    if (blocked(id)) at = id;
  // Every blocked task has a blocked predecessor, so walking backwards must meet a task again.
  std::vector<TaskId> walk;
  std::vector<bool> seen(graph.task_count(), false);
  while (!seen[at.index()]) {
    seen[at.index()] = true;
    walk.push_back(at);
    for (EdgeId edge : graph.in_edges(at))
      if (blocked(graph.edge(edge).from)) at = graph.edge(edge).from;
  }
  walk.erase(walk.begin(), std::find(walk.begin(), walk.end(), at));
  walk.push_back(at);
  std::vector<std::string> names;
  for (auto it = walk.rbegin(); it != walk.rend(); ++it) names.push_back(graph.task(*it).name);
  return names;
}

}  // namespace

std::optional<Time> TaskGraph::work_on(TaskId id, ProcessorId processor) const {
  if (processor.index() >= table_columns_) return std::nullopt;
  return work_table_[id.index() * table_columns_ + processor.index()];
}

std::optional<TaskId> TaskGraph::find(std::string_view name) const {
  auto found =
      std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& task) { return task.name == name; });
  if (found == tasks_.end()) return std::nullopt;
  return TaskId(static_cast<std::size_t>(found - tasks_.begin()));
}

Time TaskGraph::total_work() const {
  return std::accumulate(tasks_.begin(), tasks_.end(), Time{0},
                         [](Time sum, const Task& task) { return sum + task.work; });
}

Time TaskGraph::largest_work() const {
  Time largest{0};
  for (const Task& task : tasks_) largest = std::max(largest, task.work);
  return largest;
}

TaskId TaskGraphBuilder::add_task(Task task) {
  graph_.tasks_.push_back(std::move(task));
  return TaskId(graph_.tasks_.size() - 1);
}

DatumId TaskGraphBuilder::add_datum(TaskId from, Bytes size) {
  graph_.data_.push_back({from, size});
  return DatumId(graph_.data_.size() - 1);
}

EdgeId TaskGraphBuilder::add_edge(DatumId datum, TaskId to) {
  const auto& [from, size] = graph_.data_[datum.index()];
  graph_.edges_.push_back({from, to, size, datum});
  return EdgeId(graph_.edges_.size() - 1);
}

void TaskGraphBuilder::set_work_table(TaskId id, std::vector<Time> times) {
  tables_.resize(std::max(tables_.size(), id.index() + 1));
  tables_[id.index()] = std::move(times);
}

void TaskGraphBuilder::take_work_tables() {
  TaskGraph& graph = graph_;
  graph.table_columns_ = tables_.front().size();
  tables_.resize(graph.tasks_.size());
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const std::vector<Time>& times = tables_[i];
    Task& task = graph.tasks_[i];
    if (times.empty() || times.size() != graph.table_columns_)
      throw ConfigError(fmt::format("task '{}' gives its work on {} processors, '{}' on {}: all must agree",
                                    task.name, times.size(), graph.tasks_[0].name, graph.table_columns_));
    double sum = 0;
    for (const Time time : times) {
      if (time < Time{0})
        throw ConfigError(fmt::format("task '{}' has negative work {}", task.name, time.count()));
      sum += static_cast<double>(time.count());
    }
    task.work = Time(std::llround(std::min(sum / static_cast<double>(times.size()), 4e18)));
    graph.work_table_.insert(graph.work_table_.end(), times.begin(), times.end());
  }
}

TaskGraph TaskGraphBuilder::build() && {
  TaskGraph& graph = graph_;
  const std::size_t n = graph.tasks_.size();

  if (!tables_.empty()) take_work_tables();
  std::unordered_set<std::string_view> names;
  for (const Task& task : graph.tasks_) {
    if (task.work < Time{0})
      throw ConfigError(fmt::format("task '{}' has negative work {}", task.name, task.work.count()));
    if (!names.insert(task.name).second)
      throw ConfigError(fmt::format("two tasks are named '{}'", task.name));
  }
  for (const Edge& edge : graph.edges_)
    if (edge.from == edge.to)
      throw ConfigError(fmt::format("task '{}' has an edge to itself", graph.task(edge.from).name));

  // No path, and no sum of tasks or of edges, may exceed what a Time holds.
  constexpr double limit = 4e18;
  double sum = 0;
  for (const Task& task : graph.tasks_) sum += static_cast<double>(task.work.count());
  for (const Time time : graph.work_table_) sum += static_cast<double>(time.count());
  for (const Edge& edge : graph.edges_) sum += static_cast<double>(edge.size.count);
  if (sum > limit)
    throw ConfigError(
        fmt::format("work and data of the graph add up to {:.3g}; the limit is {:.3g}", sum, limit));

  fill_rows(n, graph.edges_, &Edge::from, graph.out_offsets_, graph.out_);
  fill_rows(n, graph.edges_, &Edge::to, graph.in_offsets_, graph.in_);

  // Kahn's algorithm, one layer at a time, so that the order is by (layer, id).
  std::vector<std::uint32_t> open_inputs(n);
  std::vector<TaskId> layer, next;
  for (TaskId id : graph.tasks()) {
    open_inputs[id.index()] = static_cast<std::uint32_t>(graph.in_edges(id).size());
    if (open_inputs[id.index()] == 0) layer.push_back(id);
  }
  graph.order_.reserve(n);
  while (!layer.empty()) {
    graph.order_.insert(graph.order_.end(), layer.begin(), layer.end());
    next.clear();
    for (TaskId id : layer)
      for (EdgeId edge : graph.out_edges(id))
        if (--open_inputs[graph.edge(edge).to.index()] == 0) next.push_back(graph.edge(edge).to);
    std::sort(next.begin(), next.end());
    layer.swap(next);
  }
  if (graph.order_.size() != n)
    throw ConfigError(
        fmt::format("the graph has a cycle: {}", fmt::join(find_cycle(graph, open_inputs), " -> ")));
  return std::move(graph);
}

}  // namespace takt
