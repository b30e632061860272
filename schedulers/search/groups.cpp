#include "schedulers/search/groups.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "schedulers/search/components.hpp"

namespace takt::schedulers {

namespace {

void add_work_tables(const TaskGraph& graph, const Groups& groups, std::size_t count,
                     TaskGraphBuilder& builder) {
  const std::size_t columns = graph.work_table_columns();
  std::vector<std::vector<Time>> tables(count, std::vector<Time>(columns, Time{0}));
  for (TaskId task : graph.tasks())
    for (std::size_t p = 0; p < columns; ++p)
      tables[groups.of[task.index()]][p] += *graph.work_on(task, ProcessorId(p));
  for (std::size_t group = 0; group < count; ++group)
    builder.set_work_table(TaskId(group), std::move(tables[group]));
}

void add_data(const TaskGraph& graph, const Groups& groups, TaskGraphBuilder& builder) {
  /// A datum and a group that needs it.
  std::vector<std::pair<DatumId, std::uint32_t>> needs;
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const std::uint32_t to = groups.of[edge.to.index()];
    if (groups.of[edge.from.index()] != to) needs.emplace_back(edge.datum, to);
  }
  std::ranges::sort(needs);
  const auto doubles = std::ranges::unique(needs);
  needs.erase(doubles.begin(), doubles.end());
  builder.expect(0, needs.size());
  std::optional<DatumId> datum, copy;
  for (const auto& [needed, to] : needs) {
    if (datum != needed) {
      const TaskId from(groups.of[graph.datum_task(needed).index()]);
      copy = builder.add_datum(from, graph.datum_size(needed));
      datum = needed;
    }
    builder.add_edge(*copy, TaskId(to));
  }
}

Groups contract(const TaskGraph& graph, std::vector<std::uint32_t> group_of, std::size_t count) {
  Groups groups{{}, std::move(group_of)};
  std::vector<Time> work(count, Time{0});
  for (TaskId task : graph.tasks()) work[groups.of[task.index()]] += graph.task(task).work;
  TaskGraphBuilder builder;
  builder.expect(count, 0);
  for (std::size_t group = 0; group < count; ++group)
    builder.add_task({.name = std::to_string(group), .work = work[group]});
  if (graph.has_work_table()) add_work_tables(graph, groups, count, builder);
  add_data(graph, groups, builder);
  groups.graph = std::move(builder).build();
  return groups;
}

}  // namespace

Groups groups_of_components(const TaskGraph& graph) {
  Components components = connected_components(graph);
  return contract(graph, std::move(components.of), components.count);
}

Groups groups_of_parts(const TaskGraph& graph, std::span<const std::uint32_t> part_of) {
  return *few_groups_of_parts(graph, part_of, 1);
}

std::optional<Groups> few_groups_of_parts(const TaskGraph& graph, std::span<const std::uint32_t> part_of,
                                          double share) {
  const auto are_few = [share](std::size_t count, std::size_t of) {
    return static_cast<double>(count) <= share * static_cast<double>(of);
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> part_and_level(graph.task_count());
  for (TaskId task : graph.topological_order()) {
    const std::uint32_t part = part_of[task.index()];
    std::uint32_t level = 0;
    for (EdgeId in : graph.in_edges(task)) {
      const auto& [of_parent, before] = part_and_level[graph.edge(in).from.index()];
      level = std::max(level, before + (of_parent == part ? 0U : 1U));
    }
    part_and_level[task.index()] = {part, level};
  }
  auto distinct = part_and_level;
  std::ranges::sort(distinct);
  const auto doubles = std::ranges::unique(distinct);
  distinct.erase(doubles.begin(), doubles.end());
  if (!are_few(distinct.size(), graph.task_count())) return std::nullopt;
  std::vector<std::uint32_t> group_of(graph.task_count());
  for (std::size_t task = 0; task < group_of.size(); ++task)
    group_of[task] = static_cast<std::uint32_t>(std::ranges::lower_bound(distinct, part_and_level[task]) -
                                                distinct.begin());
  const auto between = std::ranges::count_if(graph.edges(), [&](EdgeId id) {
    const Edge edge = graph.edge(id);
    return group_of[edge.from.index()] != group_of[edge.to.index()];
  });
  if (!are_few(static_cast<std::size_t>(between), graph.edge_count())) return std::nullopt;
  return contract(graph, std::move(group_of), distinct.size());
}

Groups groups_of_numbers(const TaskGraph& graph, std::vector<std::uint32_t> group_of) {
  std::uint32_t count = 0;
  for (std::uint32_t group : group_of) count = std::max(count, group + 1);
  return contract(graph, std::move(group_of), count);
}

}  // namespace takt::schedulers
