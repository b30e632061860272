#include "schedulers/frequency/greedy.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "core/graphs/levels.hpp"
#include "schedulers/bounds/period_bounds.hpp"

namespace takt::schedulers {

namespace {

/// Returns the processors in ascending order of speed, of equals in order of id.
std::vector<ProcessorId> slowest_first(const logp::Machine& machine) {
  std::vector<ProcessorId> order;
  for (ProcessorId p : machine.processors()) order.push_back(p);
  const std::vector<double>& speeds = machine.platform().speeds;
  std::ranges::stable_sort(order, std::less{}, [&](ProcessorId p) { return speeds[p.index()]; });
  return order;
}

/// Allocates each layer's groups to the processors.
logp::Allocation allocate(const TaskGraph& graph, const logp::Machine& machine) {
  const std::vector<ProcessorId> processors = slowest_first(machine);
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(processors.size())};
  for (std::vector<TaskId>& layer : tasks_by_layer(graph)) {
    const auto groups = level_out(graph, std::move(layer), processors.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::vector<TaskId>& order = allocation.order[processors[i].index()];
      order.insert(order.end(), groups[i].begin(), groups[i].end());
    }
  }
  return allocation;
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

Time greedy_load(const TaskGraph& graph, const logp::Machine& machine) {
  const logp::Allocation allocation = allocate(graph, machine);
  std::vector<ProcessorId> processor_of(graph.task_count());
  std::vector<Time> busy(machine.processor_count(), Time{0});
  for (ProcessorId p : machine.processors())
    for (TaskId task : allocation.order[p.index()]) {
      processor_of[task.index()] = p;
      busy[p.index()] += machine.duration(graph, task, p);
    }

  std::vector<std::uint32_t> layer_of(graph.task_count());
  std::uint32_t layer = 0;
  for (const std::vector<TaskId>& tasks : tasks_by_layer(graph)) {
    for (TaskId task : tasks) layer_of[task.index()] = layer;
    ++layer;
  }
  // All data of a layer from one processor to another one form one message.
  using Transfer = std::tuple<std::uint32_t, ProcessorId, ProcessorId, DatumId>;
  std::vector<Transfer> transfers;
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const ProcessorId from = processor_of[edge.from.index()], to = processor_of[edge.to.index()];
    if (from != to) transfers.emplace_back(layer_of[edge.from.index()], from, to, edge.datum);
  }
  std::ranges::sort(transfers);
  transfers.erase(std::unique(transfers.begin(), transfers.end()), transfers.end());
  for (std::size_t i = 0, end = 0; i < transfers.size(); i = end) {
    const auto& [of_layer, from, to, first] = transfers[i];
    Bytes size;
    for (; end < transfers.size(); ++end) {
      const auto& [other_layer, other_from, other_to, datum] = transfers[end];
      if (std::tie(other_layer, other_from, other_to) != std::tie(of_layer, from, to)) break;
      size += graph.datum_size(datum);
    }
    busy[from.index()] += machine.send_overhead(from, to, size);
    busy[to.index()] += machine.receive_overhead(from, to, size);
  }
  return std::ranges::max(busy);
}

Schedule greedy(const TaskGraph& graph, const logp::Machine& machine, const Options& /*options*/) {
  Schedule schedule = greedy_with_messages(graph, machine, {});
  add_period_bound(graph, machine, schedule);
  return schedule;
}

Schedule greedy_with_messages(const TaskGraph& graph, const logp::Machine& machine,
                              const logp::LayerMessageOptions& messages) {
  Schedule schedule = logp::time_layer_messages(graph, machine, allocate(graph, machine), messages);
  schedule.scheduler = "greedy";
  return schedule;
}

}  // namespace takt::schedulers
