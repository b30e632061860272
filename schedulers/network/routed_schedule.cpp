#include "schedulers/network/routed_schedule.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "logp/traffic.hpp"

namespace takt::schedulers {

RoutedSchedule::RoutedSchedule(const DelayModel& model, const logp::Machine& machine, Trace* trace)
    : machine_(&machine),
      links_(machine),
      partial_(model, trace),
      idle_(model.processor_count()),
      routes_(model.graph().edge_count()) {}

Time RoutedSchedule::arrival(TaskId task, ProcessorId processor) {
  return route(task, processor);
}

Time RoutedSchedule::send(TaskId task, ProcessorId processor) {
  const Time arrival = route(task, processor);
  links_.keep();
  auto first = static_cast<std::uint32_t>(taken_hops_.size());
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    routes_[edges_[i].index()] = {first, hop_counts_[i]};
    first += hop_counts_[i];
  }
  taken_hops_.insert(taken_hops_.end(), hops_.begin(), hops_.end());
  return arrival;
}

void RoutedSchedule::collect_messages(TaskId task) {
  const TaskGraph& graph = model().graph();
  const auto in_edges = graph.in_edges(task);
  edges_.assign(in_edges.begin(), in_edges.end());
  auto key = [&](EdgeId edge) {
    const TaskId sender = graph.edge(edge).from;
    return std::tuple(partial_.end(sender), sender, edge);
  };
  std::sort(edges_.begin(), edges_.end(), [&](EdgeId a, EdgeId b) { return key(a) < key(b); });
  receiver_ = task;
}

Time RoutedSchedule::route(TaskId task, ProcessorId processor) {
  if (receiver_ != task) collect_messages(task);
  links_.drop();
  hops_.clear();
  hop_counts_.clear();
  Time latest{0};
  for (EdgeId id : edges_) {
    const Edge edge = model().graph().edge(id);
    const ProcessorId from = partial_.processor(edge.from);
    const std::size_t hops_before = hops_.size();
    Time arrival = partial_.end(edge.from);
    if (from != processor) {
      const Time sent = arrival + machine_->send_overhead(from, processor, edge.size);
      arrival = links_.try_message(from, processor, edge.size, sent, hops_) +
                machine_->receive_overhead(from, processor, edge.size);
    }
    hop_counts_.push_back(static_cast<std::uint32_t>(hops_.size() - hops_before));
    latest = std::max(latest, arrival);
  }
  return latest;
}

Schedule timed(std::string_view scheduler, const TaskGraph& graph, const logp::Machine& machine,
               const RoutedTimetable& timetable) {
  const logp::Allocation allocation = allocation_of(graph, machine.processor_count(), timetable);
  if (!messages_occupy_no_processor(machine)) return timed(scheduler, graph, machine, allocation);

  Schedule schedule(std::string(scheduler), machine.processor_count());
  auto processor_of = [&](TaskId task) { return timetable.processor[task.index()]; };
  std::vector<std::optional<MessageId>> message_of(graph.edge_count());
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    if (processor_of(edge.from) == processor_of(edge.to)) continue;
    const MessageId message = schedule.add_message(processor_of(edge.from), processor_of(edge.to), edge.size,
                                                   std::span(&edge.datum, 1));
    const auto [first_hop, hop_count] = timetable.routes[id.index()];
    if (hop_count > 0) schedule.set_route(message, std::span(timetable.hops).subspan(first_hop, hop_count));
    message_of[id.index()] = message;
  }
  for (ProcessorId p : machine.processors())
    for (TaskId task : allocation.order[p.index()]) {
      const Time start = timetable.start[task.index()], end = timetable.end[task.index()];
      for (EdgeId edge : graph.in_edges(task))
        if (const auto message = message_of[edge.index()]) schedule.add_receive(p, *message, start, start);
      schedule.add_compute(p, task, start, end);
      for (EdgeId edge : graph.out_edges(task))
        if (const auto message = message_of[edge.index()]) schedule.add_send(p, *message, end, end);
    }
  logp::set_least_repetition(machine, schedule);
  return schedule;
}

}  // namespace takt::schedulers
