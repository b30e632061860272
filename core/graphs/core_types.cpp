#include "core/graphs/core_types.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt {

TaskGraph with_core_types(TaskGraph graph, const Platform& platform) {
  const std::vector<std::string>& known = graph.core_types();
  if (known.empty()) return graph;
  if (platform.type_of.empty())
    throw ConfigError(fmt::format(
        "the graph has work by type of core ({}), the machine has no types: expected 'core_types' in the "
        "machine file, such as core_types: {{{}: 4}}, or types={}:4 in MACHINE",
        fmt::join(known, ", "), fmt::join(known, ": 4, "), fmt::join(known, ":4/")));
  std::vector<ProcessorId> column_of_type;
  for (const std::string& type : platform.core_types) {
    const auto found = std::ranges::find(known, type);
    if (found == known.end())
      throw ConfigError(unknown_name("type of core", type, {known.begin(), known.end()}));
    column_of_type.emplace_back(static_cast<std::size_t>(found - known.begin()));
  }
  TaskGraphBuilder builder;
  if (graph.is_undirected()) builder.set_undirected();
  for (TaskId id : graph.tasks()) {
    builder.add_task(graph.task(id));
    std::vector<Time> times;
    for (const std::uint32_t type : platform.type_of)
      times.push_back(*graph.work_on(id, column_of_type[type]));
    builder.set_work_table(id, std::move(times));
  }
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    builder.add_datum(graph.datum_task(datum), graph.datum_size(datum));
  for (EdgeId edge : graph.edges()) builder.add_edge(graph.edge(edge).datum, graph.edge(edge).to);
  return std::move(builder).build();
}

}  // namespace takt
