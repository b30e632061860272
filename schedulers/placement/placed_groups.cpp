#include "schedulers/placement/placed_groups.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace takt::schedulers {

PlacedGroups PlacedGroups::single_tasks(std::vector<ProcessorId> processor_of) {
  PlacedGroups groups{std::vector<std::uint32_t>(processor_of.size()), std::move(processor_of)};
  std::iota(groups.group_of.begin(), groups.group_of.end(), 0U);
  return groups;
}

PlacedGroups PlacedGroups::of_processors(std::span<const ProcessorId> processor_of) {
  PlacedGroups groups;
  std::vector<std::optional<std::uint32_t>> group_on;
  for (ProcessorId p : processor_of) {
    if (p.index() >= group_on.size()) group_on.resize(p.index() + 1);
    if (!group_on[p.index()]) {
      group_on[p.index()] = static_cast<std::uint32_t>(groups.place.size());
      groups.place.push_back(p);
    }
    groups.group_of.push_back(*group_on[p.index()]);
  }
  return groups;
}

std::vector<ProcessorId> PlacedGroups::processors() const {
  std::vector<ProcessorId> result;
  result.reserve(group_of.size());
  for (std::uint32_t group : group_of) result.push_back(place[group]);
  return result;
}

TaskGraph exchanges_of_groups(const TaskGraph& graph, std::span<const std::uint32_t> group_of,
                              std::size_t count) {
  std::vector<Time> work(count, Time{0});
  const std::size_t columns = graph.work_table_columns();
  std::vector<std::vector<Time>> tables(count, std::vector<Time>(columns, Time{0}));
  for (TaskId task : graph.tasks()) {
    const std::uint32_t group = group_of[task.index()];
    work[group] += graph.task(task).work;
    for (std::size_t p = 0; p < columns; ++p) tables[group][p] += *graph.work_on(task, ProcessorId(p));
  }
  std::vector<std::tuple<std::uint32_t, std::uint32_t, Bytes>> exchanges;
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const auto [low, high] = std::minmax(group_of[edge.from.index()], group_of[edge.to.index()]);
    if (low != high) exchanges.emplace_back(low, high, edge.size);
  }
  std::ranges::sort(exchanges);

  TaskGraphBuilder builder;
  for (std::size_t group = 0; group < count; ++group) {
    builder.add_task({.name = std::to_string(group), .work = work[group]});
    if (columns > 0) builder.set_work_table(TaskId(group), std::move(tables[group]));
  }
  for (std::size_t i = 0; i < exchanges.size();) {
    const auto [low, high, first_size] = exchanges[i];
    Bytes size;
    for (; i < exchanges.size() && std::get<0>(exchanges[i]) == low && std::get<1>(exchanges[i]) == high; ++i)
      size += std::get<2>(exchanges[i]);
    builder.add_edge(TaskId(low), TaskId(high), size);
  }
  return std::move(builder).build();
}

}  // namespace takt::schedulers
