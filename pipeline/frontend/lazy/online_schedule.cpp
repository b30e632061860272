#include "pipeline/frontend/lazy/online_schedule.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/graphs/task_graph.hpp"

namespace takt::frontend {

OnlineSchedule::OnlineSchedule(const logp::Machine& machine)
    : machine_(machine),
      has_equal_speeds_(
          std::ranges::all_of(machine.platform().speeds, [](double speed) { return speed == 1; })),
      has_equal_delays_(std::ranges::distance(machine.occurring_costs()) <= 1),
      clocks_(machine.processor_count(), Time{0}),
      arrivals_(machine.processor_count(), Time{0}) {}

Time OnlineSchedule::delay(ProcessorId from, ProcessorId to, Bytes size) const {
  const logp::LinkCosts& costs = machine_.costs(from, to);
  return costs.send_overhead.at(size) + costs.latency.at(size) + costs.receive_overhead.at(size);
}

const std::vector<Time>& OnlineSchedule::durations(Time work) {
  // Works that differ from task to task would fill the memory.
  constexpr std::size_t most_works = 1 << 12;
  if (durations_.size() == most_works) durations_.clear();
  const auto [found, is_new] = durations_.try_emplace(work);
  if (is_new) {
    TaskGraphBuilder builder;
    const TaskId task = builder.add_task({.name = "task", .work = work});
    const TaskGraph graph = std::move(builder).build();
    for (const ProcessorId processor : machine_.processors())
      found->second.push_back(machine_.duration(graph, task, processor));
  }
  return found->second;
}

Time OnlineSchedule::duration(Time work, ProcessorId processor) {
  return has_equal_speeds_ ? work : durations(work)[processor.index()];
}

Time OnlineSchedule::shortest(Time work) {
  return has_equal_speeds_ ? work : std::ranges::min(durations(work));
}

void OnlineSchedule::add_input(Time made, ProcessorId from, Bytes size) {
  const std::size_t count = arrivals_.size();
  Time away = made;
  if (has_equal_delays_ && count > 1) away += delay(from, ProcessorId(from.index() == 0 ? 1 : 0), size);
  for (std::size_t to = 0; to < count; ++to) {
    Time arrival = away;
    if (to == from.index())
      arrival = made;
    else if (!has_equal_delays_)
      arrival += delay(from, ProcessorId(to), size);
    arrivals_[to] = std::max(arrivals_[to], arrival);
  }
}

Placement OnlineSchedule::place(Time work, std::optional<ProcessorId> fixed) {
  std::optional<Placement> best;
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    const ProcessorId processor(i);
    if (fixed && *fixed != processor) continue;
    const Time start = std::max(clocks_[i], arrivals_[i]);
    const Placement there{processor, start, start + duration(work, processor)};
    if (!best || std::tie(there.end, clocks_[i]) < std::tie(best->end, clocks_[best->processor.index()]))
      best = there;
  }
  clocks_[best->processor.index()] = best->end;
  std::ranges::fill(arrivals_, Time{0});
  return *best;
}

Time OnlineSchedule::makespan() const {
  return std::ranges::max(clocks_);
}

}  // namespace takt::frontend
