/// Checks of correctness:
/// every task is executed, and every datum reaches the processors that need it.

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <unordered_set>

#include "core/system/in_parallel.hpp"
#include "logp/checks.hpp"

namespace takt::logp {

namespace {

constexpr ProcessorId nowhere{0};

void check_message_reference(Examination& examination, MessageId id) {
  const Schedule& schedule = examination.schedule;
  const Message& message = schedule.message(id);
  const std::size_t number = id.index(), count = examination.machine.processor_count();
  if (message.from.index() >= count || message.to.index() >= count)
    examination.report("reference", nowhere, Time{0},
                       "message {} goes from processor {} to {}: there are only {}", number,
                       message.from.index(), message.to.index(), count);
  else if (message.from == message.to)
    examination.report("reference", message.from, Time{0}, "message {} goes from the processor to itself",
                       number);
  const std::size_t last = std::size_t{message.first_datum} + message.datum_count;
  if (last > schedule.data.size()) {
    examination.report("reference", nowhere, Time{0}, "message {} carries data {}..{}: there are only {}",
                       number, message.first_datum, last - 1, schedule.data.size());
    return;
  }
  if (std::size_t{message.first_hop} + message.hop_count > schedule.hops.size())
    examination.report("reference", nowhere, Time{0}, "message {} has {} hops from {} on: there are only {}",
                       number, message.hop_count, message.first_hop, schedule.hops.size());
  for (DatumId datum : schedule.payload(id))
    if (datum.index() >= examination.graph.datum_count())
      examination.report("reference", nowhere, Time{0}, "message {} carries datum {}: the graph has only {}",
                         number, datum.index(), examination.graph.datum_count());
}

void check_size(Examination& examination, MessageId id) {
  const Message& message = examination.schedule.message(id);
  const auto payload = examination.schedule.payload(id);
  // Ascending data are distinct; only others need a set.
  const bool is_ascending = std::ranges::adjacent_find(payload, std::greater_equal{}) == payload.end();
  Bytes sum;
  std::unordered_set<DatumId> seen;
  for (DatumId datum : payload) {
    if (is_ascending || seen.insert(datum).second)
      sum += examination.graph.datum_size(datum);
    else
      examination.report("size", message.from, Time{0}, "message {} carries {} twice", id.index(),
                         examination.describe(datum));
  }
  const Bytes expected = payload.empty() ? Bytes{1} : sum;
  if (message.size != expected)
    examination.report("size", message.from, Time{0},
                       "message {} ({} -> {}) has size {}: its {} data sum up to {}", id.index(),
                       message.from.index(), message.to.index(), message.size.count,
                       is_ascending ? payload.size() : seen.size(), expected.count);
}

/// Checks a single send or receive: the right processor, its full overhead.
void check_message_operation(Examination& examination, ProcessorId processor, const Operation& operation) {
  const bool is_send = operation.kind == OperationKind::send;
  const Message& message = examination.schedule.message(operation.message());
  const ProcessorId expected = is_send ? message.from : message.to;
  if (expected != processor)
    examination.report("matching", processor, operation.start, "{} belongs to processor {}",
                       examination.describe(operation), expected.index());
  const Machine& machine = examination.machine;
  const Time overhead = is_send ? machine.send_overhead(message.from, message.to, message.size)
                                : machine.receive_overhead(message.from, message.to, message.size);
  if (operation.end - operation.start != overhead)
    examination.report("duration", processor, operation.start, "{} takes {}: o is {} for size {}",
                       examination.describe(operation), (operation.end - operation.start).count(),
                       overhead.count(), message.size.count);
}

/// Whether one operation of a processor precedes another one in its list.
bool precedes(const Operation* one, const Operation* other) {
  return std::less<>{}(one, other);
}

/// Reports a needed datum that its provider, an operation of the same processor, delivers too late, or that
/// has no provider. Operations of length 0 can be in the wrong order although all times fit.
void check_provider(Examination& examination, std::string_view rule, ProcessorId processor,
                    const Operation& operation, DatumId datum, const Operation* provider) {
  if (provider == nullptr)
    examination.report(rule, processor, operation.start, "{} needs {}, which never arrives",
                       examination.describe(operation), examination.describe(datum));
  else if (operation.start < provider->end)
    examination.report(rule, processor, operation.start, "{} needs {}, which arrives only at {}",
                       examination.describe(operation), examination.describe(datum), provider->end.count());
  else if (precedes(&operation, provider))
    examination.report(rule, processor, operation.start, "{} needs {}, but stands before {}",
                       examination.describe(operation), examination.describe(datum),
                       examination.describe(*provider));
}

/// The locations of one datum of one instance, and the operation that provides it first on each: its task, or
/// a receive.
class DataLocations {
 public:
  /// Returns null if the datum never arrives.
  [[nodiscard]] const Operation* provider(ProcessorId processor) const {
    const auto found = std::ranges::find(held_, processor, &Holding::processor);
    return found == held_.end() ? nullptr : found->provider;
  }

  /// Dijkstra's algorithm from the datum's task over the messages that carry the datum: a message carries it
  /// only if its sender already has it. So messages that only circulate the datum cannot justify each other.
  /// Of arrivals at the same time, the first one in its processor's list counts; so a later one may replace
  /// an earlier one.
  void carry(const Schedule& schedule, const Computation& maker, std::span<const Transfer* const> carriers) {
    held_.clear();
    if (!maker.operation) return;
    arrivals_.push({maker.processor, maker.operation});
    while (!arrivals_.empty()) {
      const Holding arrival = arrivals_.top();
      arrivals_.pop();
      if (!take_up(arrival)) continue;
      for (const Transfer* transfer : carriers) {
        const Message& message = schedule.message(transfer->message());
        if (message.from == arrival.processor && transfer->send && transfer->receive &&
            transfer->send->start >= arrival.provider->end && precedes(arrival.provider, transfer->send))
          arrivals_.push({message.to, transfer->receive});
      }
    }
  }

 private:
  struct Holding {
    ProcessorId processor;
    const Operation* provider = nullptr;
  };
  struct Later {
    bool operator()(const Holding& a, const Holding& b) const { return a.provider->end > b.provider->end; }
  };

  /// Stores the arrival; returns whether it is an improvement.
  bool take_up(const Holding& arrival) {
    const auto known = std::ranges::find(held_, arrival.processor, &Holding::processor);
    if (known == held_.end()) {
      held_.push_back(arrival);
      return true;
    }
    const bool is_better =
        arrival.provider->end == known->provider->end && precedes(arrival.provider, known->provider);
    if (is_better) known->provider = arrival.provider;
    return is_better;
  }

  std::vector<Holding> held_;
  std::priority_queue<Holding, std::vector<Holding>, Later> arrivals_;
};

}  // namespace

void check_references(Examination& examination) {
  const Schedule& schedule = examination.schedule;
  if (schedule.processors.size() != examination.machine.processor_count())
    examination.report("reference", nowhere, Time{0}, "the schedule has {} processors, the machine {}",
                       schedule.processors.size(), examination.machine.processor_count());
  if (schedule.replicas == 0)
    examination.report("reference", nowhere, Time{0}, "the schedule holds no instance: replicas is 0");
  for (MessageId id : ids<MessageId>(schedule.messages.size())) check_message_reference(examination, id);
  if (!examination.found_nothing()) return;
  std::size_t computations = 0;
  examination.for_each_operation([&](ProcessorId p, const Operation& operation) {
    const bool is_compute = operation.kind == OperationKind::compute;
    if (is_compute) ++computations;
    const std::size_t count = is_compute ? examination.graph.task_count() : schedule.messages.size();
    if (operation.subject >= count)
      examination.report("reference", p, operation.start, "{} {} at {}..{}: there are only {}",
                         is_compute ? "task" : "message", operation.subject, operation.start.count(),
                         operation.end.count(), count);
    else if (operation.instance >= schedule.replicas)
      examination.report("reference", p, operation.start, "{} is of instance {}: the schedule holds {}",
                         examination.describe(operation), operation.instance, schedule.replicas);
  });
  // Limits memory and findings for schedules of many instances.
  if (computations + examination.options.limit < schedule.replicas && examination.graph.task_count() > 0)
    examination.report("reference", nowhere, Time{0},
                       "the schedule holds {} instances, but only {} computations", schedule.replicas,
                       computations);
}

void check_tasks(Examination& examination) {
  const TaskGraph& graph = examination.graph;
  examination.index.computations.assign(graph.task_count() * examination.schedule.replicas, {});
  const auto visit = [&](ProcessorId p, const Operation& operation) {
    if (operation.kind != OperationKind::compute) return;
    Computation& computation = examination.computation(operation.task(), operation.instance);
    if (computation.operation)
      examination.report("task-once", p, operation.start,
                         "{} runs a second time: processor {} has it at {}..{}",
                         examination.describe(operation), computation.processor.index(),
                         computation.operation->start.count(), computation.operation->end.count());
    else
      computation = {&operation, p};
    const Time duration = examination.machine.duration(graph, operation.task(), p);
    if (operation.end - operation.start != duration)
      examination.report("duration", p, operation.start, "{} takes {}: expected {}",
                         examination.describe(operation), (operation.end - operation.start).count(),
                         duration.count());
  };
  examination.for_each_operation(
      visit, [&](const Operation& operation) __attribute__((always_inline)) {
        if (operation.kind != OperationKind::compute) return;
        __builtin_prefetch(&graph.task(operation.task()));
        __builtin_prefetch(&examination.computation(operation.task(), operation.instance));
      });
  for (std::uint32_t instance = 0; instance < examination.schedule.replicas; ++instance)
    for (TaskId task : graph.tasks())
      if (!examination.computation(task, instance).operation)
        examination.report("task-once", nowhere, Time{0}, "task '{}' of instance {} runs on no processor",
                           graph.task(task).name, instance);
}

namespace {

/// Stores a half of a transfer, unless that half is already there.
void join(Examination& examination, Transfer& whole, const Transfer& half) {
  const Operation*& place = half.send ? whole.send : whole.receive;
  const Operation& operation = half.send ? *half.send : *half.receive;
  const Message& message = examination.schedule.message(half.message());
  if (place)
    examination.report("matching", half.send ? message.from : message.to, operation.start,
                       "{} occurs twice: the first one is at {}..{}", examination.describe(operation),
                       place->start.count(), place->end.count());
  else
    place = &operation;
}

Transfer half_of(const Operation& operation) {
  const bool is_send = operation.kind == OperationKind::send;
  return {is_send ? &operation : nullptr, is_send ? nullptr : &operation};
}

/// Returns the transfers of several instances, sorted, because most messages belong to one instance.
std::vector<Transfer> transfers_of_instances(Examination& examination) {
  std::vector<Transfer> transfers;
  transfers.reserve(2 * examination.schedule.messages.size());
  examination.for_each_operation([&](ProcessorId p, const Operation& operation) {
    if (operation.kind == OperationKind::compute) return;
    check_message_operation(examination, p, operation);
    transfers.push_back(half_of(operation));
  });
  auto key = [](const Transfer& transfer) { return std::tuple(transfer.instance(), transfer.message()); };
  std::stable_sort(transfers.begin(), transfers.end(),
                   [&](const Transfer& a, const Transfer& b) { return key(a) < key(b); });
  std::size_t count = 0;
  for (const Transfer& half : transfers) {
    if (count == 0 || key(transfers[count - 1]) != key(half))
      transfers[count++] = half;
    else
      join(examination, transfers[count - 1], half);
  }
  transfers.resize(count);
  return transfers;
}

/// Returns the transfers of a single instance, where a message's number is its position. Messages without an
/// operation are left out. Sends and receives are stored independently.
std::vector<Transfer> transfers_of_one(Examination& examination) {
  std::vector<Transfer> transfers(examination.schedule.messages.size());
  const auto fill = [&](Examination& own, OperationKind kind) {
    const auto visit = [&](ProcessorId p, const Operation& operation) {
      if (operation.kind != kind) return;
      check_message_operation(own, p, operation);
      join(own, transfers[operation.subject], half_of(operation));
    };
    own.for_each_operation(
        visit, [&](const Operation& operation) __attribute__((always_inline)) {
          if (operation.kind != kind) return;
          own.fetch_message(operation);
          __builtin_prefetch(&transfers[operation.subject]);
        });
  };
  Examination receives = examination.without_findings();
  in_parallel_if(examination.is_long(), {[&] { fill(examination, OperationKind::send); },
                                         [&] { fill(receives, OperationKind::receive); }});
  examination.append(std::move(receives));
  std::erase_if(transfers, [](const Transfer& transfer) { return !transfer.send && !transfer.receive; });
  return transfers;
}

}  // namespace

void check_messages(Examination& examination) {
  const Schedule& schedule = examination.schedule;
  examination.index.transfers =
      schedule.replicas == 1 ? transfers_of_one(examination) : transfers_of_instances(examination);

  const std::vector<Transfer>& transfers = examination.index.transfers;
  std::vector<bool> is_used(schedule.messages.size(), examination.has_all_transfers());
  for (const Transfer& transfer : transfers) {
    if (!examination.has_all_transfers()) is_used[transfer.message().index()] = true;
    if (transfer.send && transfer.receive) continue;
    const Message& message = schedule.message(transfer.message());
    if (transfer.send)
      examination.report("matching", message.from, transfer.send->start, "{} has no receive",
                         examination.describe(*transfer.send));
    else
      examination.report("matching", message.to, transfer.receive->start, "{} has no send",
                         examination.describe(*transfer.receive));
  }
  for (MessageId id : ids<MessageId>(schedule.messages.size())) {
    check_size(examination, id);
    if (!is_used[id.index()])
      examination.report("matching", schedule.message(id).from, Time{0},
                         "message {} is neither sent nor received", id.index());
  }
}

namespace {

/// Lists of numbers, one per datum, each in the order of insertion, in one vector.
class ListsOfData {
 public:
  /// `visit(add)` calls add(datum, number) for each entry; it is called twice.
  template <class Visit>
  ListsOfData(std::size_t data, Visit visit) : end_(data + 1, 0) {
    visit([this](DatumId datum, std::size_t) { ++end_[datum.index() + 1]; });
    std::partial_sum(end_.begin(), end_.end(), end_.begin());
    numbers_.resize(end_.back());
    // Each entry begins as a list's start and advances to its end, where the next list begins.
    end_.pop_back();
    visit([this](DatumId datum, std::size_t number) {
      numbers_[end_[datum.index()]++] = static_cast<std::uint32_t>(number);
    });
  }
  [[nodiscard]] std::span<const std::uint32_t> operator[](DatumId datum) const {
    const std::size_t begin = datum.index() == 0 ? 0 : end_[datum.index() - 1];
    return std::span(numbers_).subspan(begin, end_[datum.index()] - begin);
  }

 private:
  std::vector<std::uint32_t> end_;
  std::vector<std::uint32_t> numbers_;
};

/// The edges that need a datum. With one datum per edge, in order, no lists are needed.
class EdgesOfData {
 public:
  explicit EdgesOfData(const TaskGraph& graph)
      : one_each_(graph.has_one_datum_an_edge()), lists_(one_each_ ? 0 : graph.datum_count(), [&](auto add) {
          if (one_each_) return;
          for (EdgeId id : graph.edges()) add(graph.edge(id).datum, id.index());
        }) {}

  /// Calls visit(edge) for each of them. (Inlined: it may only prefetch.)
  template <class Visit>
  [[gnu::always_inline]] void for_each(DatumId datum, Visit visit) const {
    if (one_each_) return visit(EdgeId(datum.index()));
    for (std::uint32_t i : lists_[datum]) visit(EdgeId(i));
  }

 private:
  bool one_each_;
  ListsOfData lists_;
};

/// The edges that need a datum, and the transfers of an instance that carry it.
struct Carriage {
  std::uint32_t instance;
  const EdgesOfData& edges_of;
  const ListsOfData& transfers_of;
};

/// Prefetches the index entries of a datum's operations, or the operations.
[[gnu::always_inline]] inline void fetch(const Examination& examination, const Carriage& carriage,
                                         DatumId datum, bool are_operations) {
  const auto fetch_task = [&](TaskId task) __attribute__((always_inline)) {
    const Computation& computation = examination.computation(task, carriage.instance);
    if (are_operations)
      __builtin_prefetch(computation.operation);
    else
      __builtin_prefetch(&computation);
  };
  fetch_task(examination.graph.datum_task(datum));
  carriage.edges_of.for_each(
      datum, [&](EdgeId edge)
                 __attribute__((always_inline)) { fetch_task(examination.graph.edge(edge).to); });
  for (std::uint32_t i : carriage.transfers_of[datum]) {
    const Transfer& transfer = examination.index.transfers[i];
    if (are_operations) {
      __builtin_prefetch(transfer.send);
      __builtin_prefetch(transfer.receive);
      __builtin_prefetch(&examination.schedule.messages[examination.message_at(i).index()]);
    } else {
      __builtin_prefetch(&transfer);
    }
  }
}

/// Checks a range of the data of one instance.
void check_data_range(Examination& examination, const Carriage& carriage, DatumId begin, DatumId end) {
  const TaskGraph& graph = examination.graph;
  std::vector<const Transfer*> carriers;
  DataLocations locations;
  constexpr std::size_t ahead = 16;
  for (DatumId datum = begin; datum < end; datum = DatumId(datum.index() + 1)) {
    if (datum.index() + 2 * ahead < end.index())
      fetch(examination, carriage, DatumId(datum.index() + 2 * ahead), false);
    if (datum.index() + ahead < end.index())
      fetch(examination, carriage, DatumId(datum.index() + ahead), true);
    carriers.clear();
    for (std::uint32_t i : carriage.transfers_of[datum]) carriers.push_back(&examination.index.transfers[i]);
    locations.carry(examination.schedule, examination.computation(graph.datum_task(datum), carriage.instance),
                    carriers);
    for (const Transfer* carrier : carriers) {
      const ProcessorId sender = examination.schedule.message(carrier->message()).from;
      if (carrier->send)
        check_provider(examination, "data", sender, *carrier->send, datum, locations.provider(sender));
    }
    carriage.edges_of.for_each(datum, [&](EdgeId edge) {
      const Computation& consumer = examination.computation(graph.edge(edge).to, carriage.instance);
      if (consumer.operation)
        check_provider(examination, "edge", consumer.processor, *consumer.operation, datum,
                       locations.provider(consumer.processor));
    });
  }
}

}  // namespace

void check_data(Examination& examination) {
  const TaskGraph& graph = examination.graph;
  const std::vector<Transfer>& transfers = examination.index.transfers;
  const EdgesOfData edges_of(graph);

  std::size_t next = 0;
  for (std::uint32_t instance = 0; instance < examination.schedule.replicas; ++instance) {
    const std::size_t first = next;
    if (examination.has_all_transfers()) next = transfers.size();
    while (next < transfers.size() && transfers[next].instance() == instance) ++next;
    const ListsOfData transfers_of(graph.datum_count(), [&](auto add) {
      for (std::size_t i = first; i < next; ++i)
        for (DatumId datum : examination.schedule.payload(examination.message_at(i))) add(datum, i);
    });
    const Carriage carriage{instance, edges_of, transfers_of};
    const DatumId middle(graph.datum_count() / 2), end(graph.datum_count());
    Examination others = examination.without_findings();
    in_parallel_if(examination.is_long(),
                   {[&] { check_data_range(examination, carriage, DatumId(0), middle); },
                    [&] { check_data_range(others, carriage, middle, end); }});
    examination.append(std::move(others));
  }
}

void check_state(Examination& examination) {
  for (TaskId task : examination.graph.tasks()) {
    const bool travels = std::ranges::binary_search(examination.schedule.travelling, task);
    if (examination.graph.task(task).stateless && !travels) continue;
    for (std::uint32_t instance = 1; instance < examination.schedule.replicas; ++instance) {
      const Computation& before = examination.computation(task, instance - 1);
      const Computation& after = examination.computation(task, instance);
      if (!before.operation || !after.operation) continue;
      if (before.processor != after.processor && !travels)
        examination.report("state", after.processor, after.operation->start,
                           "{} has state, but its instance {} runs on processor {}",
                           examination.describe(*after.operation), instance - 1, before.processor.index());
      else if (after.operation->start < before.operation->end ||
               (before.processor == after.processor && precedes(after.operation, before.operation)))
        examination.report("state", after.processor, after.operation->start,
                           "{} has state, but comes before {}", examination.describe(*after.operation),
                           examination.describe(*before.operation));
    }
  }
}

}  // namespace takt::logp
