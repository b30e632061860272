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

void check_gap(Examination& examination, std::string_view rule, ProcessorId processor, const Operation& first,
               const Operation& second) {
  const Time distance = second.start - first.start, gap = gap_after(examination, first);
  if (distance < gap)
    examination.report(rule, processor, second.start, "{} starts {} after {}: expected {} at least",
                       examination.describe(second), distance.count(), examination.describe(first),
                       gap.count());
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
  const auto advance = [&](std::size_t p) {
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
      advance(p);
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

void check_bounds(Examination& examination) {
  const auto bound = examination.schedule.makespan_bound;
  if (!bound) return;
  const Time makespan = measure(examination.schedule).makespan;
  if (makespan < *bound)
    examination.report("bound", ProcessorId(0), Time{0},
                       "the makespan is {}, below the lower bound that the schedule declares, {}",
                       makespan.count(), bound->count());
}

namespace {

/// Two operations of a processor that follow each other in the endless repetition, and the time between their
/// starts.
struct Succession {
  const Operation* one = nullptr;
  const Operation* next = nullptr;
  Time distance{0};
};

/// Returns the successions, modulo the repetition, that a single iteration does not have: those from the last
/// operation to the first one of the next iteration or, in a pipelined schedule, where operations of several
/// iterations alternate, all of them. Of operations at the same time those with the least `room` are first.
template <class Room>
std::vector<Succession> successions(const Examination& examination, std::vector<const Operation*> operations,
                                    Time repetition, Room room) {
  if (operations.empty()) return {};
  if (!examination.schedule.repetition || repetition <= Time{0}) {
    const Operation &first = *operations.front(), &last = *operations.back();
    return {{&last, &first, first.start + repetition - last.start}};
  }
  const auto folded = [&](const Operation* operation) {
    return operation->start - floor_divide(operation->start, repetition) * repetition;
  };
  std::ranges::stable_sort(operations, {},
                           [&](const Operation* each) { return std::pair(folded(each), room(*each)); });
  std::vector<Succession> result;
  for (std::size_t i = 0; i + 1 < operations.size(); ++i)
    result.push_back({operations[i], operations[i + 1], folded(operations[i + 1]) - folded(operations[i])});
  const Operation *first = operations.front(), *last = operations.back();
  result.push_back({last, first, folded(first) + repetition - folded(last)});
  return result;
}

std::vector<const Operation*> operations_of(const Examination& examination, ProcessorId processor,
                                            bool (*is_wanted)(OperationKind)) {
  std::vector<const Operation*> result;
  for (const Operation& operation : examination.schedule.processors[processor.index()])
    if (is_wanted(operation.kind)) result.push_back(&operation);
  return result;
}

/// Without a repetition of its own, a schedule ends an iteration on a processor before it begins the next
/// one. Returns whether that holds.
bool check_one_by_one(Examination& examination, ProcessorId processor, Time repetition) {
  const std::vector<Operation>& operations = examination.schedule.processors[processor.index()];
  const Time next = operations.front().start + repetition;
  bool fits = true;
  for (const Operation& operation : operations) {
    if (operation.end <= next) continue;
    fits = false;
    examination.report("repetition", processor, operation.start,
                       "{} has not ended when the next iteration begins at {}",
                       examination.describe(operation), next.count());
  }
  return fits;
}

/// In a pipelined schedule, no two operations may overlap modulo the repetition. Returns whether that holds.
bool check_overlap_repeated(Examination& examination, ProcessorId processor, Time repetition) {
  const auto length = [](const Operation& operation) { return operation.end - operation.start; };
  bool fits = true;
  for (const auto& [one, next, distance] :
       successions(examination, operations_of(examination, processor, [](OperationKind) { return true; }),
                   repetition, length)) {
    if (length(*one) <= distance) continue;
    fits = false;
    examination.report("repetition", processor, one->start,
                       "{} takes longer than {}, the time to {} modulo the repetition time {}",
                       examination.describe(*one), distance.count(), examination.describe(*next),
                       repetition.count());
  }
  return fits;
}

void check_gap_repeated(Examination& examination, std::string_view rule, ProcessorId processor,
                        const Succession& succession, Time repetition) {
  const Time gap = gap_after(examination, *succession.one);
  if (succession.distance < gap)
    examination.report(rule, processor, succession.next->start,
                       "{} starts {} after {} modulo the repetition time {}: expected {} at least",
                       examination.describe(*succession.next), succession.distance.count(),
                       examination.describe(*succession.one), repetition.count(), gap.count());
}

/// Checks the gaps between sends, between receives, and between both on request.
void check_gaps_repeated(Examination& examination, ProcessorId processor, Time repetition) {
  const auto gap = [&](const Operation& operation) { return gap_after(examination, operation); };
  const auto of_kind = [&](auto is_wanted) {
    return successions(examination, operations_of(examination, processor, is_wanted), repetition, gap);
  };
  for (const Succession& each : of_kind([](OperationKind kind) { return kind == OperationKind::send; }))
    check_gap_repeated(examination, gap_rule(OperationKind::send), processor, each, repetition);
  for (const Succession& each : of_kind([](OperationKind kind) { return kind == OperationKind::receive; }))
    check_gap_repeated(examination, gap_rule(OperationKind::receive), processor, each, repetition);
  if (!examination.options.gap_between_send_and_receive) return;
  for (const Succession& each : of_kind([](OperationKind kind) { return kind != OperationKind::compute; }))
    if (each.one->kind != each.next->kind)
      check_gap_repeated(examination, "gap", processor, each, repetition);
}

/// Checks that a stateful task has ended the last instance of an iteration when the next iteration begins its
/// first one.
void check_state_repeated(Examination& examination, ProcessorId processor, Time repetition) {
  std::map<TaskId, std::pair<const Operation*, const Operation*>> ends;
  for (const Operation& operation : examination.schedule.processors[processor.index()]) {
    if (operation.kind != OperationKind::compute || examination.graph.task(operation.task()).stateless)
      continue;
    auto& [first, last] = ends[operation.task()];
    if (operation.instance == 0) first = &operation;
    if (std::uint32_t{operation.instance} + 1 == examination.schedule.replicas) last = &operation;
  }
  for (const auto& [task, pair] : ends) {
    const auto [first, last] = pair;
    if (first != nullptr && last != nullptr && first->start + repetition < last->end)
      examination.report("state", processor, first->start,
                         "{} has state, but begins its next iteration at {}, before {} has ended",
                         examination.describe(*first), (first->start + repetition).count(),
                         examination.describe(*last));
  }
}

/// Checks that a state which travels is available when the next iteration begins.
void check_travelling_repeated(Examination& examination, Time repetition) {
  for (const TaskId task : examination.schedule.travelling) {
    const Computation& first = examination.computation(task, 0);
    const Computation& last = examination.computation(task, examination.schedule.replicas - 1);
    if (first.operation && last.operation && first.operation->start + repetition < last.operation->end)
      examination.report("state", first.processor, first.operation->start,
                         "{} has a state that travels, but begins its next iteration at {}, before {} on "
                         "processor {} has ended",
                         examination.describe(*first.operation),
                         (first.operation->start + repetition).count(), examination.describe(*last.operation),
                         last.processor.index());
  }
}

}  // namespace

void check_repetition(Examination& examination) {
  const Time repetition = examination.options.repetition.value_or(measure(examination.schedule).repetition);
  const Period period{repetition, examination.schedule.replicas};
  if (const auto bound = examination.schedule.period_bound; bound && period < *bound)
    examination.report("bound", ProcessorId(0), Time{0},
                       "the schedule's period is {}, below the lower bound that it declares, {}",
                       to_decimal(period), to_decimal(*bound));
  const bool is_pipelined = examination.schedule.repetition && repetition > Time{0};
  bool fits = repetition > Time{0};
  for (ProcessorId p : examination.machine.processors()) {
    if (examination.schedule.processors[p.index()].empty()) continue;
    if (!(is_pipelined ? check_overlap_repeated(examination, p, repetition)
                       : check_one_by_one(examination, p, repetition)))
      fits = false;
    check_gaps_repeated(examination, p, repetition);
    if (is_pipelined) check_state_repeated(examination, p, repetition);
  }
  check_travelling_repeated(examination, repetition);
  // If even the operations do not fit into the time, the state of the network is meaningless.
  if (!fits) return;
  check_all_flights(examination, repetition);
  check_links_repeated(examination, repetition);
}

}  // namespace takt::logp
