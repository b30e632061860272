#include "schedulers/moldable/group_timeline.hpp"

#include <algorithm>
#include <tuple>

#include "logp/redistribution.hpp"
#include "logp/timing.hpp"

namespace takt::schedulers {

GroupTimeline::GroupTimeline(const TaskGraph& graph, const logp::Machine& machine, const Clusters& clusters,
                             bool counts_data)
    : graph_(graph),
      machine_(machine),
      clusters_(clusters),
      counts_data_(counts_data),
      free_(machine.processor_count(), Time{0}),
      placements_(graph.task_count()) {}

Time GroupTimeline::data_ready(TaskId task, std::span<const ProcessorId> group) const {
  Time ready{0};
  for (EdgeId id : graph_.in_edges(task)) {
    const Edge edge = graph_.edge(id);
    const GroupPlacement& from = placements_[edge.from.index()];
    const Time taken =
        counts_data_ ? logp::redistribution_time(machine_, from.group, group, edge.size) : Time{0};
    ready = std::max(ready, from.end + taken);
  }
  return ready;
}

GroupPlacement GroupTimeline::find(TaskId task, std::size_t cluster, std::size_t count) const {
  std::vector<ProcessorId> processors = clusters_.list[cluster].processors;
  const auto by_time = [&](ProcessorId a, ProcessorId b) {
    return std::tuple(free_[a.index()], a) < std::tuple(free_[b.index()], b);
  };
  std::ranges::nth_element(processors, processors.begin() + static_cast<std::ptrdiff_t>(count - 1), by_time);
  Time start = free_[processors[count - 1].index()];
  for (EdgeId id : graph_.in_edges(task))
    start = std::max(start, placements_[graph_.edge(id).from.index()].end);

  // The group of the predecessor with the most data, if it is in this cluster.
  const GroupPlacement* heaviest = nullptr;
  std::uint64_t most = 0;
  for (EdgeId id : graph_.in_edges(task)) {
    const Edge edge = graph_.edge(id);
    const GroupPlacement& from = placements_[edge.from.index()];
    if (from.cluster != cluster || edge.size.count < most || !counts_data_) continue;
    most = edge.size.count;
    heaviest = &from;
  }
  const auto is_at_data = [&](ProcessorId p) {
    return heaviest != nullptr && std::ranges::binary_search(heaviest->group, p);
  };
  struct Candidate {
    bool elsewhere;
    Time idle;
    ProcessorId processor;
    auto operator<=>(const Candidate&) const = default;
  };
  std::vector<Candidate> candidates;
  for (ProcessorId p : processors)
    if (free_[p.index()] <= start) candidates.push_back({!is_at_data(p), start - free_[p.index()], p});
  std::ranges::nth_element(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(count - 1));

  GroupPlacement placement{cluster, {}, start, {}};
  for (std::size_t i = 0; i < count; ++i) placement.group.push_back(candidates[i].processor);
  std::ranges::sort(placement.group);
  placement.start = std::max(start, data_ready(task, placement.group));
  placement.end = placement.start + machine_.duration(graph_, task, placement.group);
  return placement;
}

void GroupTimeline::place(TaskId task, GroupPlacement placement) {
  for (ProcessorId p : placement.group) free_[p.index()] = placement.end;
  placements_[task.index()] = std::move(placement);
}

Time GroupTimeline::free_from(std::size_t cluster, std::size_t count, const GroupPlacement& besides) const {
  std::vector<Time> times;
  for (ProcessorId p : clusters_.list[cluster].processors) {
    const bool taken = besides.cluster == cluster && std::ranges::binary_search(besides.group, p);
    times.push_back(taken ? besides.end : free_[p.index()]);
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(count - 1));
  return times[count - 1];
}

Time GroupTimeline::makespan() const {
  Time last{0};
  for (const GroupPlacement& placement : placements_) last = std::max(last, placement.end);
  return last;
}

Schedule GroupTimeline::schedule(std::string_view scheduler) const {
  std::vector<TaskId> order(graph_.topological_order().begin(), graph_.topological_order().end());
  std::ranges::stable_sort(order, {}, [&](TaskId task) {
    return std::tuple(placements_[task.index()].start, placements_[task.index()].end);
  });
  const bool has_groups = std::ranges::any_of(
      placements_, [](const GroupPlacement& placement) { return placement.group.size() > 1; });
  if (!has_groups) {
    logp::Allocation allocation{std::vector<std::vector<TaskId>>(machine_.processor_count())};
    for (TaskId task : order)
      allocation.order[placements_[task.index()].group.front().index()].push_back(task);
    Schedule schedule = logp::time_task_messages(graph_, machine_, allocation, {.routed = true});
    schedule.scheduler = scheduler;
    return schedule;
  }
  Schedule schedule{std::string(scheduler), machine_.processor_count()};
  for (TaskId task : order) {
    const GroupPlacement& placement = placements_[task.index()];
    for (ProcessorId p : placement.group) schedule.add_compute(p, task, placement.start, placement.end);
  }
  return schedule;
}

}  // namespace takt::schedulers
