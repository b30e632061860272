#include "core/graphs/task_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/system/in_parallel.hpp"

namespace takt {

namespace {

std::uint32_t hash_of(std::string_view name) {
  const std::uint64_t hash = std::hash<std::string_view>{}(name);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

/// Groups edge ids by the task at one of their ends, as offsets and rows.
template <class Arc>
void fill_rows(std::size_t task_count, const std::vector<Arc>& edges, TaskId Arc::*end,
               std::vector<std::uint32_t>& offsets, std::vector<EdgeId>& rows) {
  offsets.assign(task_count + 1, 0);
  for (const Arc& edge : edges) ++offsets[(edge.*end).index() + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  rows.resize(edges.size());
  std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t i = 0; i < edges.size(); ++i) rows[next[(edges[i].*end).index()]++] = EdgeId(i);
}

/// Returns the edges of one cycle, in order, among the tasks that Kahn's algorithm could not order.
std::vector<EdgeId> find_cycle(const TaskGraph& graph, const std::vector<std::uint32_t>& open_inputs) {
  const auto blocked = [&](TaskId id) { return open_inputs[id.index()] > 0; };
  TaskId at;
  for (TaskId id : graph.tasks())
    if (blocked(id)) at = id;
  // Every blocked task has a blocked predecessor, so that a backward walk must meet a task again.
  std::vector<EdgeId> walk;
  std::vector<bool> seen(graph.task_count(), false);
  while (!seen[at.index()]) {
    seen[at.index()] = true;
    const auto inputs = graph.in_edges(at);
    walk.push_back(*std::find_if(inputs.begin(), inputs.end(),
                                 [&](EdgeId edge) { return blocked(graph.edge(edge).from); }));
    at = graph.edge(walk.back()).from;
  }
  // The beginning of the walk, before it first left the task met again, is not part of the cycle.
  walk.erase(walk.begin(),
             std::find_if(walk.begin(), walk.end(), [&](EdgeId edge) { return graph.edge(edge).to == at; }));
  std::reverse(walk.begin(), walk.end());
  return walk;
}

[[noreturn]] void throw_cycle(const TaskGraph& graph, const std::vector<EdgeId>& cycle) {
  constexpr std::size_t shown = 20;
  std::string text = graph.task(graph.edge(cycle.front()).from).name;
  for (std::size_t i = 0; i < std::min(cycle.size(), shown); ++i)
    text += fmt::format(" -> {}", graph.task(graph.edge(cycle[i]).to).name);
  if (cycle.size() > shown) text += fmt::format(" -> ... ({} tasks)", cycle.size());
  // The edge added last is the one that closed the cycle.
  throw GraphError("the graph has a cycle: " + text, {}, *std::max_element(cycle.begin(), cycle.end()));
}

/// Checks that the sums of task and edge times fit a Time, so that no path overflows.
void check_sums(const TaskGraph& graph, const std::vector<Time>& work_table) {
  constexpr double limit = 4e18;
  double sum = 0;
  for (TaskId id : graph.tasks()) sum += static_cast<double>(graph.task(id).work.count());
  for (const Time time : work_table) sum += static_cast<double>(time.count());
  for (EdgeId id : graph.edges()) sum += static_cast<double>(graph.edge(id).size.count);
  if (sum > limit)
    throw GraphError(
        fmt::format("work and data of the graph add up to {:.3g}; the limit is {:.3g}", sum, limit));
}

}  // namespace

TaskGraph TaskGraph::with_stateless(std::span<const TaskId> tasks) const {
  TaskGraph changed = *this;
  for (const TaskId task : tasks) changed.tasks_[task.index()].stateless = true;
  return changed;
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

std::optional<TaskId> NameIndex::find(std::string_view name, std::span<const Task> tasks) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t task = slots_[place_of(name, hash_of(name), tasks)].task;
  return task == no_task ? std::nullopt : std::optional(TaskId(task));
}

std::optional<TaskId> NameIndex::add_from(TaskId first, std::span<const Task> tasks) {
  reserve(tasks.size());
  // Slots are in random places: each is prefetched several names before its use.
  constexpr std::size_t ahead = 16;
  std::array<std::uint32_t, ahead> hashes{};
  std::optional<TaskId> doubled;
  for (std::size_t next = first.index(); next < tasks.size() + ahead; ++next) {
    std::uint32_t& hash = hashes[next % ahead];
    if (next >= first.index() + ahead) {
      const std::size_t task = next - ahead;
      Slot& slot = slots_[place_of(tasks[task].name, hash, tasks)];
      if (slot.task == no_task)
        slot = {hash, static_cast<std::uint32_t>(task)};
      else if (!doubled)
        doubled = TaskId(task);
    }
    if (next >= tasks.size()) continue;
    hash = hash_of(tasks[next].name);
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  return doubled;
}

void NameIndex::reserve(std::size_t count) {
  if (2 * count > slots_.size()) grow(std::bit_ceil(2 * count));
}

std::size_t NameIndex::place_of(std::string_view name, std::uint32_t hash,
                                std::span<const Task> tasks) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].task != no_task && (slots_[at].hash != hash || tasks[slots_[at].task].name != name))
    at = (at + 1) & mask;
  return at;
}

void NameIndex::grow(std::size_t size) {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(size));
  const std::size_t mask = size - 1;
  for (const Slot& slot : before) {
    if (slot.task == no_task) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].task != no_task) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

TaskId TaskGraphBuilder::add_task(Task task) {
  graph_.tasks_.push_back(std::move(task));
  return TaskId(graph_.tasks_.size() - 1);
}

void TaskGraphBuilder::reserve(std::size_t tasks) {
  graph_.tasks_.reserve(tasks);
  names_.reserve(tasks);
}

void TaskGraphBuilder::expect(std::size_t tasks, std::size_t edges) {
  graph_.tasks_.reserve(tasks);
  graph_.arcs_.reserve(edges);
}

void TaskGraphBuilder::index_names() {
  const std::optional<TaskId> doubled = names_.add_from(TaskId(named_), graph_.tasks_);
  if (!doubled_) doubled_ = doubled;
  named_ = graph_.tasks_.size();
}

std::optional<TaskId> TaskGraphBuilder::find(std::string_view name) {
  index_names();
  return names_.find(name, graph_.tasks_);
}

/// Converts the implicit datum of each edge to explicit lists.
void TaskGraphBuilder::list_data() {
  if (!graph_.one_datum_an_edge_) return;
  graph_.one_datum_an_edge_ = false;
  graph_.data_.reserve(graph_.arcs_.size());
  for (const auto& [from, to, size] : graph_.arcs_) graph_.data_.push_back({from, size});
  for (EdgeId id : graph_.edges()) graph_.datum_of_.emplace_back(id.index());
}

/// Drops the lists if each edge has its own datum, in order.
void TaskGraphBuilder::forget_listed_data() {
  const auto is_own = [this](EdgeId id) { return graph_.datum_of_[id.index()].index() == id.index(); };
  if (graph_.one_datum_an_edge_ || graph_.data_.size() != graph_.arcs_.size() ||
      !std::ranges::all_of(graph_.edges(), is_own))
    return;
  graph_.one_datum_an_edge_ = true;
  graph_.datum_of_ = {};
  graph_.data_ = {};
}

DatumId TaskGraphBuilder::add_datum(TaskId from, Bytes size) {
  list_data();
  graph_.data_.push_back({from, size});
  return DatumId(graph_.data_.size() - 1);
}

EdgeId TaskGraphBuilder::add_edge(TaskId from, TaskId to, Bytes size) {
  if (!graph_.one_datum_an_edge_) return add_edge(add_datum(from, size), to);
  graph_.arcs_.push_back({from, to, size});
  return EdgeId(graph_.arcs_.size() - 1);
}

EdgeId TaskGraphBuilder::add_edge(DatumId datum, TaskId to) {
  list_data();
  const auto& [from, size] = graph_.data_[datum.index()];
  graph_.arcs_.push_back({from, to, size});
  graph_.datum_of_.push_back(datum);
  return EdgeId(graph_.arcs_.size() - 1);
}

void TaskGraphBuilder::set_work_table(TaskId id, std::vector<Time> times) {
  tables_.resize(std::max(tables_.size(), id.index() + 1));
  tables_[id.index()] = std::move(times);
}

void TaskGraphBuilder::take_work_tables() {
  TaskGraph& graph = graph_;
  tables_.resize(graph.tasks_.size());
  for (const std::vector<Time>& times : tables_)
    graph.table_columns_ = std::max(graph.table_columns_, times.size());
  for (TaskId id : graph.tasks()) {
    const std::vector<Time>& times = tables_[id.index()];
    Task& task = graph.tasks_[id.index()];
    if (times.empty() || times.size() != graph.table_columns_)
      throw GraphError(
          fmt::format("task '{}' has works for {} processors, another task for {}: expected equal numbers",
                      task.name, times.size(), graph.table_columns_),
          id);
    double sum = 0;
    for (const Time time : times) {
      if (time < Time{0})
        throw GraphError(fmt::format("task '{}' has negative work {}", task.name, time.count()), id);
      sum += static_cast<double>(time.count());
    }
    task.work = Time(std::llround(std::min(sum / static_cast<double>(times.size()), 4e18)));
    graph.work_table_.insert(graph.work_table_.end(), times.begin(), times.end());
  }
}

/// Checks tasks and edges individually.
void TaskGraphBuilder::check_parts() {
  TaskGraph& graph = graph_;
  for (TaskId id : graph.tasks()) {
    const Task& task = graph.task(id);
    if (task.work < Time{0})
      throw GraphError(fmt::format("task '{}' has negative work {}", task.name, task.work.count()), id);
    if (id == doubled_) throw GraphError(fmt::format("two tasks have the name '{}'", task.name), id);
    if (!task.moldable) continue;
    graph.is_moldable_ = true;
    if (!tables_.empty())
      throw GraphError(fmt::format("task '{}' is moldable, but the graph has a table of times by processor: "
                                   "expected one or the other",
                                   task.name),
                       id);
    if (const std::string fault = profile_fault(*task.moldable, task.work); !fault.empty())
      throw GraphError(fmt::format("task '{}' is not validly moldable: {}", task.name, fault), id);
  }
  for (EdgeId id : graph.edges())
    if (const Edge edge = graph.edge(id); edge.from == edge.to)
      throw GraphError(fmt::format("task '{}' has an edge to itself", graph.task(edge.from).name), edge.from,
                       id);
  check_sums(graph, graph.work_table_);
}

TaskGraph TaskGraphBuilder::build() && {
  TaskGraph& graph = graph_;
  const std::size_t n = graph.tasks_.size();

  if (!tables_.empty()) take_work_tables();
  forget_listed_data();
  index_names();
  names_ = {};
  constexpr std::size_t many_edges = 100'000;
  using Arc = TaskGraph::Arc;
  in_parallel_if(
      graph.arcs_.size() >= many_edges,
      {[&] { check_parts(); }, [&] { fill_rows(n, graph.arcs_, &Arc::from, graph.out_offsets_, graph.out_); },
       [&] { fill_rows(n, graph.arcs_, &Arc::to, graph.in_offsets_, graph.in_); }});

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
  if (graph.order_.size() != n) throw_cycle(graph, find_cycle(graph, open_inputs));
  return std::move(graph);
}

}  // namespace takt
