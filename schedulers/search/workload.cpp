#include "schedulers/search/workload.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::schedulers {

namespace {

bool are_links_equal(const logp::Machine& machine) {
  auto costs = machine.occurring_costs();
  return std::ranges::adjacent_find(costs, std::not_equal_to{}) == costs.end();
}

}  // namespace

Workload::Workload(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t replicas)
    : original_(graph), machine_(machine), replicas_(replicas), links_are_equal_(are_links_equal(machine)) {
  if (replicas == 0) throw ConfigError("a schedule needs one instance at least");
  if (replicas > 1) unrolled_ = unroll(graph, replicas);
  find_classes();
}

Workload::Unrolled Workload::unroll(const TaskGraph& graph, std::uint32_t replicas) {
  constexpr std::uint32_t no_item = std::numeric_limits<std::uint32_t>::max();
  Unrolled result;
  TaskGraphBuilder builder;
  std::vector<TaskId> item_of(graph.task_count() * replicas);
  for (std::uint32_t instance = 0; instance < replicas; ++instance)
    for (TaskId task : graph.tasks()) {
      const bool stateless = graph.task(task).stateless;
      TaskId& item = item_of[instance * graph.task_count() + task.index()];
      if (!stateless && instance > 0) {
        item = item_of[task.index()];
        continue;
      }
      item = builder.add_task({.name = fmt::format("{}#{}", graph.task(task).name, instance),
                               .work = graph.task(task).work * (stateless ? 1 : replicas)});
      result.task_of.push_back(task);
      result.instance_of_item.push_back(instance);
    }
  std::vector<std::uint32_t> datum_in_instance(graph.datum_count());
  for (std::uint32_t instance = 0; instance < replicas; ++instance) {
    std::fill(datum_in_instance.begin(), datum_in_instance.end(), no_item);
    for (EdgeId id : graph.edges()) {
      const auto [from, to, size, datum] = graph.edge(id);
      std::uint32_t& copy = datum_in_instance[datum.index()];
      const std::size_t base = instance * graph.task_count();
      if (copy == no_item) {
        copy = static_cast<std::uint32_t>(builder.add_datum(item_of[base + from.index()], size).index());
        result.datum_of.push_back(datum);
        result.instance_of_datum.push_back(instance);
      }
      builder.add_edge(DatumId(copy), item_of[base + to.index()]);
    }
  }
  result.graph = std::move(builder).build();
  return result;
}

void Workload::find_classes() {
  // Without a table, processors of one speed have equal times; with one, those with equal columns.
  const auto column_of = [&](ProcessorId p) {
    std::vector<Time> column;
    if (original_.has_work_table())
      for (TaskId task : original_.tasks()) column.push_back(machine_.duration(original_, task, p));
    return std::pair(original_.has_work_table() ? 0.0 : machine_.platform().speeds[p.index()],
                     std::move(column));
  };
  std::map<std::pair<double, std::vector<Time>>, std::uint32_t> known;
  std::vector<ProcessorId> first_of_class;
  for (ProcessorId p : machine_.processors()) {
    const auto [place, is_new] =
        known.try_emplace(column_of(p), static_cast<std::uint32_t>(first_of_class.size()));
    class_of_.push_back(place->second);
    if (is_new) first_of_class.push_back(p);
  }
  for (ProcessorId p : first_of_class) {
    std::vector<Time>& times = times_.emplace_back();
    times.reserve(item_count());
    for (TaskId item : items().tasks())
      times.push_back(machine_.duration(original_, task_of(item), p) *
                      (has_all_instances(item) ? replicas_ : 1));
  }
}

}  // namespace takt::schedulers
