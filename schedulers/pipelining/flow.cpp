#include "schedulers/pipelining/flow.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "logp/timing.hpp"

namespace takt::schedulers {

std::vector<std::uint32_t> levels_of(const TaskGraph& items, std::span<const ProcessorId> processor_of,
                                     std::size_t processors) {
  std::vector<double> sum(processors, 0), count(processors, 0);
  double place = 0;
  for (TaskId item : items.topological_order()) {
    sum[processor_of[item.index()].index()] += place++;
    ++count[processor_of[item.index()].index()];
  }
  const auto goes_back = [&](ProcessorId from, ProcessorId to) {
    const double a = sum[from.index()] * count[to.index()], b = sum[to.index()] * count[from.index()];
    return b < a || (b == a && to < from);
  };
  std::vector<std::uint32_t> levels(items.task_count(), 0);
  for (TaskId item : items.topological_order())
    for (EdgeId in : items.in_edges(item)) {
      const TaskId from = items.edge(in).from;
      const bool is_higher = goes_back(processor_of[from.index()], processor_of[item.index()]);
      levels[item.index()] = std::max(levels[item.index()], levels[from.index()] + (is_higher ? 1 : 0));
    }
  return levels;
}

Flow::Flow(const Workload& workload, std::span<const ProcessorId> processor_of, MessageGrouping grouping)
    : messages_({}, workload.machine().processor_count()) {
  messages_.replicas = workload.replicas();
  add_computations(workload, processor_of);
  add_messages(workload, processor_of, grouping);
}

std::uint32_t Flow::add(FlowOperation operation) {
  operations_.push_back(operation);
  return static_cast<std::uint32_t>(operations_.size() - 1);
}

void Flow::add_computations(const Workload& workload, std::span<const ProcessorId> processor_of) {
  for (TaskId item : workload.items().tasks()) {
    const ProcessorId processor = processor_of[item.index()];
    const TaskId task = workload.task_of(item);
    const Time length = workload.machine().duration(workload.original(), task, processor);
    const bool has_all = workload.has_all_instances(item);
    first_.push_back(static_cast<std::uint32_t>(operations_.size()));
    has_all_.push_back(has_all);
    groups_.emplace_back();
    const std::uint32_t count = has_all ? workload.replicas() : 1;
    for (std::uint32_t i = 0; i < count; ++i)
      groups_.back().push_back(add({.processor = processor,
                                    .instance = has_all ? i : workload.instance_of(item),
                                    .subject = static_cast<std::uint32_t>(task.index()),
                                    .length = length}));
  }
}

std::uint32_t Flow::operation_of(TaskId item, std::uint32_t instance) const {
  return first_[item.index()] + (has_all_[item.index()] ? instance : 0);
}

void Flow::add_messages(const Workload& workload, std::span<const ProcessorId> processor_of,
                        MessageGrouping grouping) {
  const TaskGraph& items = workload.items();
  const std::vector<std::uint32_t> levels =
      levels_of(items, processor_of, workload.machine().processor_count());
  // Sender, receiver, instance, and level or datum.
  using Key = std::tuple<ProcessorId, ProcessorId, std::uint32_t, std::uint32_t>;
  struct Parts {
    std::set<DatumId> data;
    std::set<std::uint32_t> makers, consumers;
  };
  std::map<Key, Parts> messages;
  for (EdgeId id : items.edges()) {
    const auto [from, to, size, datum] = items.edge(id);
    const std::uint32_t instance = workload.instance_of(datum);
    const std::uint32_t maker = operation_of(from, instance), consumer = operation_of(to, instance);
    const ProcessorId sender = processor_of[from.index()], receiver = processor_of[to.index()];
    if (sender == receiver) {
      arcs_.push_back({maker, consumer, operations_[maker].length});
      continue;
    }
    const std::uint32_t part = grouping == MessageGrouping::joined
                                   ? levels[from.index()]
                                   : static_cast<std::uint32_t>(workload.datum_of(datum).index());
    Parts& parts = messages[{sender, receiver, instance, part}];
    parts.data.insert(workload.datum_of(datum));
    parts.makers.insert(maker);
    parts.consumers.insert(consumer);
  }
  for (const auto& [key, parts] : messages) {
    const auto& [sender, receiver, instance, part] = key;
    Bytes size;
    for (DatumId datum : parts.data) size += workload.original().datum_size(datum);
    const std::vector<DatumId> payload(parts.data.begin(), parts.data.end());
    const MessageId message = messages_.add_message(sender, receiver, size, payload);
    costs_.emplace_back(workload.machine(), messages_.message(message));
    const logp::FlightCosts& costs = costs_.back();
    const auto number = static_cast<std::uint32_t>(message.index());
    const std::uint32_t send =
        add({OperationKind::send, sender, instance, number, costs.send_overhead, costs.send_gap});
    const std::uint32_t receive =
        add({OperationKind::receive, receiver, instance, number, costs.receive_overhead, costs.receive_gap});
    groups_.push_back({send});
    groups_.push_back({receive});
    for (std::uint32_t maker : parts.makers) arcs_.push_back({maker, send, operations_[maker].length});
    arcs_.push_back({send, receive, costs.transit()});
    for (std::uint32_t consumer : parts.consumers)
      arcs_.push_back({receive, consumer, costs.receive_overhead});
  }
  logp::add_routes(workload.machine().platform(), messages_);
  const Network& network = workload.machine().platform().network;
  for (MessageId message : ids<MessageId>(messages_.messages.size())) {
    const Message& each = messages_.message(message);
    for (std::uint32_t hop = each.first_hop; hop < each.first_hop + each.hop_count; ++hop)
      messages_.hops[hop].end = network.link(messages_.hops[hop].link).transfer_time(each.size);
  }
}

Time Flow::load() const {
  struct Load {
    Time busy{0}, sends{0}, receives{0};
  };
  std::map<ProcessorId, Load> loads;
  for (const FlowOperation& operation : operations_) {
    Load& load = loads[operation.processor];
    load.busy += operation.length;
    if (operation.kind == OperationKind::send) load.sends += operation.gap;
    if (operation.kind == OperationKind::receive) load.receives += operation.gap;
  }
  std::map<LinkId, Time> links;
  for (const Hop& hop : messages_.hops) links[hop.link] += hop.end - hop.start;
  Time largest{1};
  for (const auto& [processor, load] : loads)
    largest = std::max({largest, load.busy, load.sends, load.receives});
  for (const auto& [link, busy] : links) largest = std::max(largest, busy);
  return largest;
}

}  // namespace takt::schedulers
