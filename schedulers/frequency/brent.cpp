#include "schedulers/frequency/brent.hpp"

#include "core/graphs/levels.hpp"
#include "schedulers/bounds/period_bounds.hpp"

namespace takt::schedulers {

namespace {

logp::Allocation layers_in_turn(const TaskGraph& graph, std::size_t processors) {
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(processors)};
  for (const std::vector<TaskId>& layer : tasks_by_layer(graph))
    for (std::size_t i = 0; i < layer.size(); ++i) allocation.order[i % processors].push_back(layer[i]);
  return allocation;
}

}  // namespace

Schedule brent(const TaskGraph& graph, const logp::Machine& machine, const Options& /*options*/) {
  Schedule schedule = brent_with_messages(graph, machine, {});
  add_period_bound(graph, machine, schedule);
  return schedule;
}

Schedule brent_with_messages(const TaskGraph& graph, const logp::Machine& machine,
                             logp::LayerMessageOptions messages) {
  messages.all_to_all = true;
  Schedule schedule =
      logp::time_layer_messages(graph, machine, layers_in_turn(graph, machine.processor_count()), messages);
  schedule.scheduler = "brent";
  return schedule;
}

Schedule brent_with_needed_messages(const TaskGraph& graph, const logp::Machine& machine,
                                    const Options& /*options*/) {
  Schedule schedule =
      logp::time_layer_messages(graph, machine, layers_in_turn(graph, machine.processor_count()));
  schedule.scheduler = "brent";
  return schedule;
}

}  // namespace takt::schedulers
