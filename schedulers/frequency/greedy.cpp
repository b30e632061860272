#include "schedulers/frequency/greedy.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "core/levels.hpp"
#include "logp/timing.hpp"
#include "schedulers/frequency/bounds.hpp"

namespace takt::schedulers {

namespace {

/// The processors in ascending order of speed, of equals in order of id.
std::vector<ProcessorId> slowest_first(const logp::Machine& machine) {
  std::vector<ProcessorId> order;
  for (ProcessorId p : machine.processors()) order.push_back(p);
  const std::vector<double>& speeds = machine.platform().speeds;
  std::ranges::stable_sort(order, std::less{}, [&](ProcessorId p) { return speeds[p.index()]; });
  return order;
}

}  // namespace

std::vector<std::vector<TaskId>> level_out(const TaskGraph& graph, std::vector<TaskId> layer,
                                           std::size_t count) {
  auto work = [&](TaskId task) { return graph.task(task).work; };
  std::vector<std::vector<TaskId>> groups;
  if (layer.size() < count) {
    std::ranges::stable_sort(layer, std::less{}, work);
    for (TaskId task : layer) groups.push_back({task});
    return groups;
  }
  std::ranges::stable_sort(layer, std::greater{}, work);
  // (sum, group): the smallest sum on top, the first group of equals.
  using Load = std::pair<Time, std::size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  std::vector<Time> sums(count);
  groups.resize(count);
  for (std::size_t group = 0; group < count; ++group) loads.emplace(Time::min(), group);
  for (TaskId task : layer) {
    const std::size_t group = loads.top().second;
    loads.pop();
    groups[group].push_back(task);
    sums[group] += work(task);
    loads.emplace(sums[group], group);
  }
  std::vector<std::size_t> order(count);
  for (std::size_t group = 0; group < count; ++group) order[group] = group;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums[a] < sums[b]; });
  std::vector<std::vector<TaskId>> ascending;
  for (std::size_t group : order) ascending.push_back(std::move(groups[group]));
  return ascending;
}

Schedule greedy(const TaskGraph& graph, const logp::Machine& machine, const Options& /*options*/) {
  const std::vector<ProcessorId> processors = slowest_first(machine);
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(processors.size())};
  for (std::vector<TaskId>& layer : tasks_by_layer(graph)) {
    const auto groups = level_out(graph, std::move(layer), processors.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::vector<TaskId>& order = allocation.order[processors[i].index()];
      order.insert(order.end(), groups[i].begin(), groups[i].end());
    }
  }
  Schedule schedule = logp::time_layer_messages(graph, machine, allocation);
  schedule.scheduler = "greedy";
  add_period_bound(graph, machine, schedule);
  return schedule;
}

}  // namespace takt::schedulers
