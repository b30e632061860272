#include "logp/traffic.hpp"

#include <algorithm>
#include <unordered_map>

namespace takt::logp {

namespace {

std::int64_t capacity(Time latency, Time gap) {
  return gap > Time{0} ? (latency + gap - Time{1}) / gap : Flight::unlimited;
}

/// Each link carries one message at a time.
std::vector<Flights> link_traffic(const Schedule& schedule) {
  std::vector<Flights> links;
  for (const Hop& hop : schedule.hops) {
    if (links.size() <= hop.link.index()) links.resize(hop.link.index() + 1);
    links[hop.link.index()].add({hop.start, hop.end, 1});
  }
  return links;
}

}  // namespace

FlightCosts::FlightCosts(const Machine& machine, const Message& message) : MessageCosts(machine, message) {
  const LinkCosts& costs = machine.costs(message.from, message.to);
  send_capacity = capacity(latency, costs.send_gap.at(message.size));
  receive_capacity = capacity(latency, costs.receive_gap.at(message.size));
}

FlightCostTable::FlightCostTable(const Machine& machine, const Schedule& schedule) {
  of_.reserve(schedule.messages.size());
  // By kind of costs, the position of each size.
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> places(machine.kinds().size());
  for (const Message& message : schedule.messages) {
    const auto [place, is_new] =
        places[machine.kind(message.from, message.to)].try_emplace(message.size.count, different_.size());
    if (is_new) different_.emplace_back(machine, message);
    of_.push_back(place->second);
  }
}

Traffic::Traffic(std::size_t processors, const FlightCostTable& costs)
    : costs_(costs),
      limited_(std::ranges::any_of(costs.different(),
                                   [](const FlightCosts& cost) {
                                     return std::min(cost.send_capacity, cost.receive_capacity) !=
                                            Flight::unlimited;
                                   })),
      from_(processors),
      to_(processors) {}

std::optional<Time> Traffic::conflict(const Schedule& schedule, MessageId id, Time send_start) const {
  const Message& message = schedule.message(id);
  if (!limited_ || message.hop_count > 0) return std::nullopt;
  const auto [at_sender, at_receiver] = flights(id, send_start);
  // An empty optional is the smallest.
  const std::optional<Time> enter = std::max(from_[message.from.index()].conflict(at_sender),
                                             to_[message.to.index()].conflict(at_receiver));
  return enter ? std::optional(*enter - costs_[id.index()].send_overhead) : std::nullopt;
}

void Traffic::add(const Schedule& schedule, MessageId id, Time send_start) {
  if (!limited_ || schedule.message(id).hop_count > 0) return;
  const auto [at_sender, at_receiver] = flights(id, send_start);
  from_[schedule.message(id).from.index()].add(at_sender);
  to_[schedule.message(id).to.index()].add(at_receiver);
}

void Traffic::remove(const Schedule& schedule, MessageId id, Time send_start) {
  if (!limited_ || schedule.message(id).hop_count > 0) return;
  const auto [at_sender, at_receiver] = flights(id, send_start);
  from_[schedule.message(id).from.index()].remove(at_sender);
  to_[schedule.message(id).to.index()].remove(at_receiver);
}

Time Traffic::least_repetition(Time repetition) const {
  for (const Flights& flights : from_) repetition = flights.least_repetition(repetition);
  for (const Flights& flights : to_) repetition = flights.least_repetition(repetition);
  return repetition;
}

Traffic::Pair Traffic::flights(MessageId id, Time send_start) const {
  const FlightCosts& costs = costs_[id.index()];
  const Time enter = send_start + costs.send_overhead, leave = enter + costs.latency;
  return {{enter, leave, costs.send_capacity}, {enter, leave, costs.receive_capacity}};
}

Time repetition_of(const Schedule& schedule, const FlightCostTable& costs, const Traffic& traffic) {
  Time repetition{0};
  for (const std::vector<Operation>& operations : schedule.processors) {
    if (operations.empty()) continue;
    repetition = std::max(repetition, operations.back().end - operations.front().start);
    for (OperationKind kind : {OperationKind::send, OperationKind::receive}) {
      const auto first = std::ranges::find(operations, kind, [](const Operation& each) { return each.kind; });
      if (first == operations.end()) continue;
      const auto last = std::find_if(operations.rbegin(), operations.rend(),
                                     [&](const Operation& operation) { return operation.kind == kind; });
      const FlightCosts& cost = costs[last->subject];
      const Time gap = kind == OperationKind::send ? cost.send_gap : cost.receive_gap;
      repetition = std::max(repetition, last->start + gap - first->start);
    }
  }
  // A longer period for one of them can put another
  // one above its capacity, so repeat until all agree.
  const std::vector<Flights> links = link_traffic(schedule);
  for (Time before = Time::min(); before != repetition;) {
    before = repetition;
    repetition = traffic.least_repetition(repetition);
    for (const Flights& link : links) repetition = link.least_repetition(repetition);
  }
  return repetition;
}

void set_least_repetition(const Machine& machine, Schedule& schedule) {
  const FlightCostTable costs(machine, schedule);
  Traffic traffic(machine.processor_count(), costs);
  for (const std::vector<Operation>& operations : schedule.processors)
    for (const Operation& operation : operations)
      if (operation.kind == OperationKind::send) traffic.add(schedule, operation.message(), operation.start);
  schedule.least_repetition = Time{0};
  const Time repetition = repetition_of(schedule, costs, traffic);
  if (repetition > measure(schedule).repetition) schedule.least_repetition = repetition;
}

}  // namespace takt::logp
