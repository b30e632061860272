#include "schedulers/fit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::schedulers {

namespace {

/// The most that a message of this size can cost anyone.
double largest_cost(const logp::LinkCosts& costs, Bytes size) {
  double sum = 0;
  for (const logp::Cost* cost :
       {&costs.latency, &costs.send_overhead, &costs.receive_overhead, &costs.send_gap, &costs.receive_gap}) {
    double largest = 0;
    for (const logp::Cost::Segment& segment : cost->segments())
      largest = std::max(
          largest, std::abs(segment.constant) + std::abs(segment.per_byte) * static_cast<double>(size.count));
    sum += largest;
  }
  return sum;
}

}  // namespace

double largest_total_time(const TaskGraph& graph, const logp::Machine& machine) {
  const std::vector<double>& speeds = machine.platform().speeds;
  const double slowest = *std::min_element(speeds.begin(), speeds.end());
  double sum = 0;
  for (TaskId task : graph.tasks()) {
    double longest =
        graph.has_work_table() ? 0 : static_cast<double>(graph.task(task).work.count()) / slowest;
    for (ProcessorId column : ids<ProcessorId>(graph.work_table_columns()))
      longest = std::max(longest, static_cast<double>(graph.work_on(task, column)->count()));
    sum += longest;
  }
  for (EdgeId edge : graph.edges()) {
    double most = 0;
    for (const logp::LinkCosts& costs : machine.occurring_costs())
      most = std::max(most, largest_cost(costs, graph.edge(edge).size));
    sum += most;
  }
  return sum;
}

void check_fit(const TaskGraph& graph, const logp::Machine& machine) {
  if (graph.has_work_table() && graph.work_table_columns() < machine.processor_count())
    throw ConfigError(
        fmt::format("the graph gives its tasks' work on {} processors, the machine has {}: expected a value "
                    "for each",
                    graph.work_table_columns(), machine.processor_count()));
  constexpr double limit = 1e18;
  const double sum = largest_total_time(graph, machine);
  if (!(sum <= limit))
    throw ConfigError(
        fmt::format("the graph's work and messages can take up to {:.3g} ticks on this machine; the "
                    "limit is {:.3g}",
                    sum, limit));
}

}  // namespace takt::schedulers
