/// Checks of LogP conformity, also under repetition.

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>

#include "logp/checks.hpp"

namespace takt::logp {

namespace {

std::string_view gap_rule(OperationKind kind) {
  return kind == OperationKind::send ? "send-gap" : "receive-gap";
}

/// Returns the least time from the start of a send or receive to the start of the next one.
Time gap_after(const Examination& examination, const Operation& operation) {
  const Machine& machine = examination.machine;
  const auto& [from, to, size, first_datum, datum_count, first_hop, hop_count] =
      examination.schedule.message(operation.message());
  if (operation.kind == OperationKind::send)
    return std::max(machine.send_overhead(from, to, size), machine.send_gap(from, to, size));
  return std::max(machine.receive_overhead(from, to, size), machine.receive_gap(from, to, size));
}

/// `repetition` is added between the two if the second one belongs to the next iteration.
void check_gap(Examination& examination, std::string_view rule, ProcessorId processor, const Operation& first,
               const Operation& second, std::optional<Time> repetition = std::nullopt) {
  const Time distance = second.start + repetition.value_or(Time{0}) - first.start;
  const Time gap = gap_after(examination, first);
  if (distance < gap)
    examination.report(rule, processor, second.start, "{} starts {} after {}{}: expected {} at least",
                       examination.describe(second), distance.count(), examination.describe(first),
                       repetition ? " of the previous iteration" : "", gap.count());
}

/// A message in the network, from the view of its sender or its receiver.
struct InFlight {
  const Operation* send = nullptr;
  Time enter{0};
  Time leave{0};
  /// ceil(L / g); empty without a gap and hence without a limit.
  std::optional<Time::rep> capacity;
};

enum class Side { sender, receiver };

Time::rep floor_divide(Time time, Time divisor) {
  const Time::rep quotient = time / divisor;
  return quotient * divisor > time ? quotient - 1 : quotient;
}

/// Whether any message has a limited capacity; otherwise millions of messages need no check.
bool has_capacity(const Examination& examination) {
  const Machine& machine = examination.machine;
  return std::ranges::any_of(examination.schedule.messages, [&](const Message& message) {
    return machine.latency(message.from, message.to, message.size) > Time{0} && message.hop_count == 0 &&
           std::max(machine.send_gap(message.from, message.to, message.size),
                    machine.receive_gap(message.from, message.to, message.size)) > Time{0};
  });
}

/// Returns the messages of one iteration by the processor that they leave, or reach.
std::vector<std::vector<InFlight>> messages_in_flight(const Examination& examination, Side side) {
  const Machine& machine = examination.machine;
  std::vector<std::vector<InFlight>> by_processor(machine.processor_count());
  examination.for_each_operation([&](ProcessorId, const Operation& operation) {
    if (operation.kind != OperationKind::send) return;
    const Message& message = examination.schedule.message(operation.message());
    const Time latency = machine.latency(message.from, message.to, message.size);
    if (latency <= Time{0} || message.hop_count > 0) return;
    const Time gap = side == Side::sender ? machine.send_gap(message.from, message.to, message.size)
                                          : machine.receive_gap(message.from, message.to, message.size);
    InFlight flight{&operation, operation.end, operation.end + latency, std::nullopt};
    if (gap > Time{0}) flight.capacity = latency / gap + (latency % gap > Time{0} ? 1 : 0);
    by_processor[(side == Side::sender ? message.from : message.to).index()].push_back(flight);
  });
  return by_processor;
}

/// Change of the number of messages in flight.
struct Change {
  Time at;
  int by = 0;
  const InFlight* flight = nullptr;
};

/// Processes the changes in order of time and reports when more messages are in flight than the smallest
/// capacity among them. `in_flight` are the initial numbers, by capacity; an empty capacity is no limit.
void check_changes(Examination& examination, Side side, ProcessorId processor, std::vector<Change> changes,
                   std::map<std::optional<Time::rep>, Time::rep> in_flight, std::optional<Time> repetition) {
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tuple(a.at, a.by) < std::tuple(b.at, b.by);
  });
  Time::rep count = 0;
  for (const auto& [capacity, number] : in_flight) count += number;
  for (const auto& [at, by, flight] : changes) {
    count += by;
    if ((in_flight[flight->capacity] += by) == 0) in_flight.erase(flight->capacity);
    if (by < 0) continue;
    // Those without a limit come first in the map.
    const auto limit = in_flight.upper_bound(std::nullopt);
    if (limit == in_flight.end() || count <= *limit->first) continue;
    examination.report(
        "capacity", processor, flight->send->start,
        "{} makes {} messages in flight {} the processor at {}{}: ceil(L / g) is {}",
        examination.describe(*flight->send), count, side == Side::sender ? "from" : "to",
        (flight->send->end).count(),
        repetition ? fmt::format(" when the schedule repeats every {}", repetition->count()) : "",
        *limit->first);
    if (repetition) return;
  }
}

/// Checks the flights of one iteration or, given a repetition time, of all iterations together, folded onto
/// one of them.
void check_flights(Examination& examination, Side side, ProcessorId processor,
                   const std::vector<InFlight>& flights, std::optional<Time> repetition) {
  std::vector<Change> changes;
  std::map<std::optional<Time::rep>, Time::rep> in_flight;
  for (const InFlight& flight : flights) {
    Time enter = flight.enter, leave = flight.leave;
    if (repetition) {
      const Time::rep enters_in = floor_divide(enter, *repetition),
                      leaves_in = floor_divide(leave, *repetition);
      enter -= enters_in * *repetition;
      leave -= leaves_in * *repetition;
      // Copies of earlier iterations that are in flight when an iteration begins.
      if (leaves_in > enters_in) in_flight[flight.capacity] += leaves_in - enters_in;
    }
    changes.push_back({enter, +1, &flight});
    changes.push_back({leave, -1, &flight});
  }
  check_changes(examination, side, processor, std::move(changes), std::move(in_flight), repetition);
}

void check_all_flights(Examination& examination, std::optional<Time> repetition) {
  if (!has_capacity(examination)) return;
  for (Side side : {Side::sender, Side::receiver}) {
    const auto by_processor = messages_in_flight(examination, side);
    for (ProcessorId p : examination.machine.processors())
      check_flights(examination, side, p, by_processor[p.index()], repetition);
  }
}

/// Executes the lists without regard to time, each
/// processor up to the next message that has not been sent.
void check_circles(Examination& examination) {
  const std::vector<std::vector<Operation>>& processors = examination.schedule.processors;
  // Another rule reports a receive without a send; here it does not block.
  std::vector<bool> is_missing(examination.index.transfers.size());
  for (std::size_t i = 0; i < is_missing.size(); ++i)
    is_missing[i] = examination.index.transfers[i].send != nullptr;
  std::vector<std::optional<std::size_t>> waits_for(processors.size());
  std::vector<std::size_t> next(processors.size(), 0), ready(processors.size());
  std::iota(ready.begin(), ready.end(), std::size_t{0});
  const auto go_on = [&](std::size_t p) {
    waits_for[p].reset();
    for (; next[p] < processors[p].size(); ++next[p]) {
      const Operation& operation = processors[p][next[p]];
      if (operation.kind == OperationKind::compute) continue;
      const std::size_t transfer = examination.transfer_index(operation);
      if (operation.kind == OperationKind::receive && is_missing[transfer]) {
        waits_for[p] = transfer;
        return;
      }
      if (operation.kind == OperationKind::receive) continue;
      is_missing[transfer] = false;
      const std::size_t receiver = examination.schedule.message(operation.message()).to.index();
      if (waits_for[receiver] == transfer) ready.push_back(receiver);
    }
  };
  while (!ready.empty()) {
    while (!ready.empty()) {
      const std::size_t p = ready.back();
      ready.pop_back();
      go_on(p);
    }
    // Another rule reports a receive on a processor other than its message's.
    for (std::size_t p = 0; p < processors.size(); ++p)
      if (waits_for[p] && !is_missing[*waits_for[p]]) ready.push_back(p);
  }
  for (std::size_t p = 0; p < processors.size(); ++p)
    if (next[p] < processors[p].size())
      examination.report("circle", ProcessorId(p), processors[p][next[p]].start,
                         "{} waits for a message that is sent only after it: the order is not executable",
                         examination.describe(processors[p][next[p]]));
}

}  // namespace

void check_sequence(Examination& examination) {
  check_circles(examination);
  for (ProcessorId p : examination.machine.processors()) {
    const std::vector<Operation>& operations = examination.schedule.processors[p.index()];
    if (!operations.empty() && operations.front().start < Time{0})
      examination.report("start", p, operations.front().start, "{} begins before time 0",
                         examination.describe(operations.front()));
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (operations[i].end < operations[i].start)
        examination.report("duration", p, operations[i].start, "{} ends before it starts",
                           examination.describe(operations[i]));
      if (i > 0 && operations[i].start < operations[i - 1].end)
        examination.report("overlap", p, operations[i].start, "{} begins before {} has ended",
                           examination.describe(operations[i]), examination.describe(operations[i - 1]));
    }
  }
}

void check_latency(Examination& examination) {
  const std::vector<Transfer>& transfers = examination.index.transfers;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& transfer = transfers[i];
    // Operations are in another order than transfers.
    constexpr std::size_t ahead = 16;
    if (i + ahead < transfers.size()) __builtin_prefetch(transfers[i + ahead].receive);
    if (!transfer.send || !transfer.receive) continue;
    const MessageId id = examination.message_at(i);
    const Message& message = examination.schedule.message(id);
    if (const auto route = examination.schedule.route(id); !route.empty()) {
      if (transfer.receive->start < route.back().end)
        examination.report("latency", message.to, transfer.receive->start,
                           "{} begins before the message has passed its last link at {}",
                           examination.describe(*transfer.receive), route.back().end.count());
      continue;
    }
    const Time overhead = examination.machine.send_overhead(message.from, message.to, message.size);
    const Time latency = examination.machine.latency(message.from, message.to, message.size);
    // A measured latency can be negative, but no message is received before it is sent.
    const Time arrival = transfer.send->start + std::max(Time{0}, overhead + latency);
    if (transfer.receive->start < arrival)
      examination.report("latency", message.to, transfer.receive->start,
                         "{} begins before the message arrives: send start {} + o {} + L {} = {}",
                         examination.describe(*transfer.receive), transfer.send->start.count(),
                         overhead.count(), latency.count(), arrival.count());
  }
}

void check_gaps(Examination& examination) {
  // Without gaps, the costs of millions of sends, or receives, need no evaluation.
  const bool is_free = std::ranges::all_of(examination.machine.occurring_costs(), [](const LinkCosts& costs) {
    return costs.send_overhead.is_zero() && costs.receive_overhead.is_zero() && costs.send_gap.is_zero() &&
           costs.receive_gap.is_zero();
  });
  const auto check = [&](std::string_view rule, ProcessorId p, const Operation& first,
                         const Operation& second) {
    if (!is_free || second.start < first.start) check_gap(examination, rule, p, first, second);
  };
  for (ProcessorId p : examination.machine.processors()) {
    const Operation* last_send = nullptr;
    const Operation* last_receive = nullptr;
    const Operation* last = nullptr;
    const auto visit = [&](const Operation& operation) {
      if (operation.kind == OperationKind::compute) return;
      const Operation*& last_alike = operation.kind == OperationKind::send ? last_send : last_receive;
      if (last_alike) check(gap_rule(operation.kind), p, *last_alike, operation);
      if (examination.options.gap_between_send_and_receive && last && last->kind != operation.kind)
        check("gap", p, *last, operation);
      last_alike = last = &operation;
    };
    examination.for_each_of_processor(
        p, visit, [&](const Operation& operation) __attribute__((always_inline)) {
          if (!is_free) examination.fetch_message(operation);
        });
  }
}

void check_capacity(Examination& examination) {
  check_all_flights(examination, std::nullopt);
}

namespace {

/// Checks the last send or receive of a processor and the first one of its next iteration.
void check_gap_across(Examination& examination, ProcessorId processor, std::span<const Operation> operations,
                      Time repetition) {
  auto is_message = [](const Operation& operation) { return operation.kind != OperationKind::compute; };
  const auto first = std::ranges::find_if(operations, is_message);
  if (first == operations.end()) return;
  const auto last = std::find_if(operations.rbegin(), operations.rend(), is_message);
  if (first->kind != last->kind) check_gap(examination, "gap", processor, *last, *first, repetition);
}

}  // namespace

void check_bounds(Examination& examination) {
  const auto bound = examination.schedule.makespan_bound;
  if (!bound) return;
  const Time makespan = measure(examination.schedule).makespan;
  if (makespan < *bound)
    examination.report("bound", ProcessorId(0), Time{0},
                       "the makespan is {}, below the lower bound that the schedule declares, {}",
                       makespan.count(), bound->count());
}

void check_repetition(Examination& examination) {
  const Time repetition = examination.options.repetition.value_or(measure(examination.schedule).repetition);
  const Period period{repetition, examination.schedule.replicas};
  if (const auto bound = examination.schedule.period_bound; bound && period < *bound)
    examination.report("bound", ProcessorId(0), Time{0},
                       "the schedule's period is {}, below the lower bound that it declares, {}",
                       to_decimal(period), to_decimal(*bound));
  bool fits = repetition > Time{0};
  for (ProcessorId p : examination.machine.processors()) {
    const std::vector<Operation>& operations = examination.schedule.processors[p.index()];
    if (operations.empty()) continue;
    const Time next = operations.front().start + repetition;
    for (const Operation& operation : operations) {
      if (operation.end <= next) continue;
      fits = false;
      examination.report("repetition", p, operation.start,
                         "{} has not ended when the next iteration begins at {}",
                         examination.describe(operation), next.count());
    }
    for (OperationKind kind : {OperationKind::send, OperationKind::receive}) {
      const auto first = std::ranges::find(operations, kind, [](const Operation& each) { return each.kind; });
      if (first == operations.end()) continue;
      const auto last = std::find_if(operations.rbegin(), operations.rend(),
                                     [&](const Operation& operation) { return operation.kind == kind; });
      check_gap(examination, gap_rule(kind), p, *last, *first, repetition);
    }
    if (examination.options.gap_between_send_and_receive)
      check_gap_across(examination, p, operations, repetition);
  }
  // If even the operations do not fit into the time, the state of the network is meaningless.
  if (!fits) return;
  check_all_flights(examination, repetition);
  check_links_repeated(examination, repetition);
}

}  // namespace takt::logp
