#include "logp/diagnostics.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace takt::logp {

namespace {

std::string_view verb(OperationKind kind) {
  switch (kind) {
    case OperationKind::compute:
      return "compute";
    case OperationKind::send:
      return "send";
    case OperationKind::receive:
      return "receive";
  }
  return "operation";
}

/// A message of one instance as the schedule carries it out.
struct Transfer {
  const Operation* send = nullptr;
  const Operation* receive = nullptr;
};

class Checker {
 public:
  Checker(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
          const DiagnosticOptions& options)
      : graph_(graph), machine_(machine), schedule_(schedule), options_(options) {}

  std::vector<Finding> run() {
    if (check_references()) {
      check_sequence();
      check_tasks();
      check_messages();
      check_data();
      check_state();
      check_gaps();
      check_capacity();
      if (options_.repeated) check_repetition();
    }
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tuple(a.processor, a.time) < std::tuple(b.processor, b.time);
    });
    std::vector<Finding> findings;
    for (Found& found : found_) findings.push_back(std::move(found.finding));
    if (findings.size() > options_.limit) findings.resize(options_.limit);
    return findings;
  }

 private:
  struct Found {
    std::size_t processor;
    Time time;
    Finding finding;
  };

  template <class... Arguments>
  void report(std::string rule, std::size_t processor, Time time, fmt::format_string<Arguments...> text,
              Arguments&&... arguments) {
    found_.push_back({processor,
                      time,
                      {std::move(rule), fmt::format("processor {}: ", processor + 1) +
                                            fmt::format(text, std::forward<Arguments>(arguments)...)}});
  }

  // ---- text ----

  [[nodiscard]] std::string name(DatumId datum) const {
    return fmt::format("datum {} of task '{}'", datum.index() + 1,
                       graph_.task(graph_.datum_task(datum)).name);
  }

  /// `send of message 3 (P1 -> P2) at 4..6`, with the instance where there are several.
  [[nodiscard]] std::string describe(const Operation& operation) const {
    std::string subject;
    if (operation.kind == OperationKind::compute) {
      subject = fmt::format("task '{}'", graph_.task(operation.task()).name);
    } else {
      const Message& message = schedule_.message(operation.message());
      subject = fmt::format("{} of message {} (P{} -> P{})", verb(operation.kind), operation.subject + 1,
                            message.from.index() + 1, message.to.index() + 1);
    }
    if (schedule_.replicas > 1) subject += fmt::format(" of instance {}", operation.instance + 1);
    return fmt::format("{} at {}..{}", subject, operation.start.count(), operation.end.count());
  }

  template <class Visitor>
  void for_each_operation(Visitor visit) const {
    for (std::size_t p = 0; p < schedule_.processors.size(); ++p)
      for (const Operation& operation : schedule_.processors[p]) visit(p, operation);
  }

  // ---- rules ----

  /// Everything that the schedule names exists; the other rules rely on it.
  bool check_references() {
    if (schedule_.processors.size() != machine_.processor_count())
      report("reference", 0, Time{0}, "the schedule has {} processors, the machine {}",
             schedule_.processors.size(), machine_.processor_count());
    if (schedule_.replicas == 0)
      report("reference", 0, Time{0}, "the schedule holds no instance: replicas is 0");
    for (std::size_t m = 0; m < schedule_.messages.size(); ++m) check_message_reference(m);
    for_each_operation([&](std::size_t p, const Operation& operation) {
      const bool is_compute = operation.kind == OperationKind::compute;
      const std::size_t count = is_compute ? graph_.task_count() : schedule_.messages.size();
      if (operation.subject >= count)
        report("reference", p, operation.start, "{} {} at {}..{}: there are only {}",
               is_compute ? "task" : "message", operation.subject + 1, operation.start.count(),
               operation.end.count(), count);
      else if (operation.instance >= schedule_.replicas)
        report("reference", p, operation.start, "{} is of instance {}: the schedule holds {}",
               describe(operation), operation.instance + 1, schedule_.replicas);
    });
    return found_.empty();
  }

  void check_message_reference(std::size_t m) {
    const Message& message = schedule_.messages[m];
    const std::size_t count = machine_.processor_count();
    if (message.from.index() >= count || message.to.index() >= count)
      report("reference", 0, Time{0}, "message {} goes from processor {} to {}: there are only {}", m + 1,
             message.from.index() + 1, message.to.index() + 1, count);
    else if (message.from == message.to)
      report("reference", message.from.index(), Time{0}, "message {} goes from the processor to itself",
             m + 1);
    if (std::size_t{message.first_datum} + message.datum_count > schedule_.data.size()) {
      report("reference", 0, Time{0}, "message {} carries data {}..{}: there are only {}", m + 1,
             message.first_datum + 1, std::size_t{message.first_datum} + message.datum_count,
             schedule_.data.size());
      return;
    }
    for (DatumId datum : schedule_.payload(MessageId(m)))
      if (datum.index() >= graph_.datum_count())
        report("reference", 0, Time{0}, "message {} carries datum {}: the graph has only {}", m + 1,
               datum.index() + 1, graph_.datum_count());
  }

  /// One operation at a time on a processor, in the order of the list.
  void check_sequence() {
    for (std::size_t p = 0; p < schedule_.processors.size(); ++p) {
      const auto& operations = schedule_.processors[p];
      for (std::size_t i = 0; i < operations.size(); ++i) {
        if (operations[i].end < operations[i].start)
          report("duration", p, operations[i].start, "{} ends before it starts", describe(operations[i]));
        if (i > 0 && operations[i].start < operations[i - 1].end)
          report("overlap", p, operations[i].start, "{} begins before {} has ended", describe(operations[i]),
                 describe(operations[i - 1]));
      }
    }
  }

  /// Every task once for each instance, and for its full duration.
  void check_tasks() {
    computed_.assign(graph_.task_count() * schedule_.replicas, {});
    for_each_operation([&](std::size_t p, const Operation& operation) {
      if (operation.kind != OperationKind::compute) return;
      Computation& computation = computed_[index(operation.task(), operation.instance)];
      if (computation.operation)
        report("task-once", p, operation.start, "{} runs a second time: processor {} has it at {}..{}",
               describe(operation), computation.processor + 1, computation.operation->start.count(),
               computation.operation->end.count());
      else
        computation = {&operation, p};
      const Time duration = machine_.duration(graph_, operation.task(), ProcessorId(p));
      if (operation.end - operation.start != duration)
        report("duration", p, operation.start, "{} takes {}: expected {}", describe(operation),
               (operation.end - operation.start).count(), duration.count());
    });
    for (std::uint32_t instance = 0; instance < schedule_.replicas; ++instance)
      for (TaskId task : graph_.tasks())
        if (!computed_[index(task, instance)].operation)
          report("task-once", 0, Time{0}, "task '{}' of instance {} runs on no processor",
                 graph_.task(task).name, instance + 1);
  }

  /// Each message sent once by its sender and received once by its receiver, in full and not before it can be
  /// there.
  void check_messages() {
    for_each_operation([&](std::size_t p, const Operation& operation) {
      if (operation.kind == OperationKind::compute) return;
      const bool is_send = operation.kind == OperationKind::send;
      const Message& message = schedule_.message(operation.message());
      const ProcessorId expected = is_send ? message.from : message.to;
      if (expected.index() != p)
        report("matching", p, operation.start, "{} belongs to processor {}", describe(operation),
               expected.index() + 1);
      Transfer& transfer = transfers_[{operation.subject, operation.instance}];
      const Operation*& place = is_send ? transfer.send : transfer.receive;
      if (place)
        report("matching", p, operation.start, "{} stands a second time: the first one is at {}..{}",
               describe(operation), place->start.count(), place->end.count());
      else
        place = &operation;
      const Time duration = is_send ? machine_.send_overhead(message.from, message.to, message.size)
                                    : machine_.receive_overhead(message.from, message.to, message.size);
      if (operation.end - operation.start != duration)
        report("duration", p, operation.start, "{} takes {}: o is {} for {} bytes", describe(operation),
               (operation.end - operation.start).count(), duration.count(), message.size.count);
    });
    for (const auto& [key, transfer] : transfers_) check_transfer(transfer);
    for (std::size_t m = 0; m < schedule_.messages.size(); ++m) check_message_size(MessageId(m));
  }

  void check_transfer(const Transfer& transfer) {
    const Operation& known = transfer.send ? *transfer.send : *transfer.receive;
    const Message& message = schedule_.message(known.message());
    if (!transfer.send || !transfer.receive) {
      const ProcessorId at = transfer.send ? message.from : message.to;
      report("matching", at.index(), known.start, "{} has no {}", describe(known),
             transfer.send ? "receive" : "send");
      return;
    }
    const Time overhead = machine_.send_overhead(message.from, message.to, message.size);
    const Time latency = machine_.latency(message.from, message.to, message.size);
    const Time earliest = std::max(transfer.send->start, transfer.send->start + overhead + latency);
    if (transfer.receive->start < earliest)
      report("latency", message.to.index(), transfer.receive->start,
             "{} begins before the message is there: send start {} + o {} + L {} = {}",
             describe(*transfer.receive), transfer.send->start.count(), overhead.count(), latency.count(),
             earliest.count());
  }

  void check_message_size(MessageId id) {
    const Message& message = schedule_.message(id);
    Bytes sum;
    std::set<DatumId> seen;
    for (DatumId datum : schedule_.payload(id)) {
      if (!seen.insert(datum).second)
        report("size", message.from.index(), Time{0}, "message {} carries {} twice", id.index() + 1,
               name(datum));
      else
        sum += graph_.datum_size(datum);
    }
    const Bytes expected = schedule_.payload(id).empty() ? Bytes{1} : sum;
    if (message.size != expected)
      report("size", message.from.index(), Time{0},
             "message {} (P{} -> P{}) has size {}: its {} data sum up to {}", id.index() + 1,
             message.from.index() + 1, message.to.index() + 1, message.size.count, seen.size(),
             expected.count);
    if (!transfers_.contains({static_cast<std::uint32_t>(id.index()), 0}) &&
        std::none_of(transfers_.begin(), transfers_.end(),
                     [&](const auto& entry) { return entry.first.first == id.index(); }))
      report("matching", message.from.index(), Time{0},
             "message {} (P{} -> P{}) is neither sent nor received", id.index() + 1, message.from.index() + 1,
             message.to.index() + 1);
  }

  /// Follows every datum of every instance from its task along the messages: a send needs its data on the
  /// sender, a task its inputs on its processor.
  void check_data() {
    for (std::uint32_t instance = 0; instance < schedule_.replicas; ++instance) {
      const std::map<Holding, Time> available = spread_data(instance);
      auto since = [&](DatumId datum, std::size_t processor) {
        const auto found = available.find({datum, processor});
        return found == available.end() ? std::optional<Time>() : found->second;
      };
      for (const auto& [key, transfer] : transfers_) {
        if (key.second != instance || !transfer.send) continue;
        const std::size_t sender = schedule_.message(transfer.send->message()).from.index();
        for (DatumId datum : schedule_.payload(transfer.send->message()))
          report_missing("data", sender, *transfer.send, datum, since(datum, sender));
      }
      for (EdgeId id : graph_.edges()) {
        const Edge& edge = graph_.edge(id);
        const Computation& consumer = computed_[index(edge.to, instance)];
        if (consumer.operation)
          report_missing("edge", consumer.processor, *consumer.operation, edge.datum,
                         since(edge.datum, consumer.processor));
      }
    }
  }

  void report_missing(std::string rule, std::size_t processor, const Operation& operation, DatumId datum,
                      std::optional<Time> since) {
    if (!since)
      report(std::move(rule), processor, operation.start, "{} needs {}, which never gets there",
             describe(operation), name(datum));
    else if (operation.start < *since)
      report(std::move(rule), processor, operation.start, "{} needs {}, which is there at {} only",
             describe(operation), name(datum), since->count());
  }

  using Holding = std::pair<DatumId, std::size_t>;

  /// When each datum of an instance is first held by each processor that it ever reaches (Dijkstra's
  /// algorithm over the messages, which a message enters only when its sender holds the datum).
  [[nodiscard]] std::map<Holding, Time> spread_data(std::uint32_t instance) const {
    std::map<Holding, std::vector<const Transfer*>> carriers;
    for (const auto& [key, transfer] : transfers_)
      if (key.second == instance && transfer.send && transfer.receive)
        for (DatumId datum : schedule_.payload(transfer.send->message()))
          carriers[{datum, schedule_.message(transfer.send->message()).from.index()}].push_back(&transfer);

    std::map<Holding, Time> available;
    using Arrival = std::pair<Time, Holding>;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
    for (DatumId datum : ids<DatumId>(graph_.datum_count()))
      if (const Computation& maker = computed_[index(graph_.datum_task(datum), instance)]; maker.operation)
        arrivals.emplace(maker.operation->end, Holding(datum, maker.processor));
    while (!arrivals.empty()) {
      const auto [time, holding] = arrivals.top();
      arrivals.pop();
      if (!available.emplace(holding, time).second) continue;
      const auto found = carriers.find(holding);
      if (found == carriers.end()) continue;
      for (const Transfer* transfer : found->second)
        if (transfer->send->start >= time)
          arrivals.emplace(transfer->receive->end,
                           Holding(holding.first, schedule_.message(transfer->send->message()).to.index()));
    }
    return available;
  }

  /// A task with state sees the instances in their order, on one processor.
  void check_state() {
    for (TaskId task : graph_.tasks()) {
      if (graph_.task(task).stateless) continue;
      for (std::uint32_t instance = 1; instance < schedule_.replicas; ++instance) {
        const Computation& before = computed_[index(task, instance - 1)];
        const Computation& after = computed_[index(task, instance)];
        if (!before.operation || !after.operation) continue;
        if (before.processor != after.processor)
          report("state", after.processor, after.operation->start,
                 "{} has state, but instance {} runs on processor {}", describe(*after.operation), instance,
                 before.processor + 1);
        else if (after.operation->start < before.operation->end)
          report("state", after.processor, after.operation->start, "{} has state, but comes before {}",
                 describe(*after.operation), describe(*before.operation));
      }
    }
  }

  [[nodiscard]] Time gap_after(const Operation& operation) const {
    const Message& message = schedule_.message(operation.message());
    if (operation.kind == OperationKind::send)
      return std::max(machine_.send_overhead(message.from, message.to, message.size),
                      machine_.send_gap(message.from, message.to, message.size));
    return std::max(machine_.receive_overhead(message.from, message.to, message.size),
                    machine_.receive_gap(message.from, message.to, message.size));
  }

  /// Two sends, or two receives, of a processor start max(o, g) apart at least.
  void check_gaps() {
    for (std::size_t p = 0; p < schedule_.processors.size(); ++p) {
      const Operation* last_send = nullptr;
      const Operation* last_receive = nullptr;
      const Operation* last = nullptr;
      for (const Operation& operation : schedule_.processors[p]) {
        if (operation.kind == OperationKind::compute) continue;
        const Operation*& same = operation.kind == OperationKind::send ? last_send : last_receive;
        const char* rule = operation.kind == OperationKind::send ? "send-gap" : "receive-gap";
        if (same) report_gap(rule, p, *same, operation, Time{0});
        if (options_.gap_between_send_and_receive && last && last->kind != operation.kind)
          report_gap("gap", p, *last, operation, Time{0});
        same = last = &operation;
      }
    }
  }

  void report_gap(const char* rule, std::size_t p, const Operation& first, const Operation& second,
                  Time repetition) {
    const Time distance = second.start + repetition - first.start, gap = gap_after(first);
    if (distance < gap)
      report(rule, p, second.start, "{} starts {} after {}{}: expected {} at least", describe(second),
             distance.count(), describe(first), repetition > Time{0} ? " of the repetition before" : "",
             gap.count());
  }

  /// What one processor's capacity sees of a message: in flight from `enter` to `leave`.
  struct InFlight {
    const Operation* send;
    Time enter;
    Time leave;
    std::int64_t capacity;
  };

  /// The messages of this repetition that are in flight from (or to) each processor.
  [[nodiscard]] std::vector<std::vector<InFlight>> flights(bool outgoing) const {
    std::vector<std::vector<InFlight>> result(machine_.processor_count());
    for_each_operation([&](std::size_t, const Operation& operation) {
      if (operation.kind != OperationKind::send) return;
      const Message& message = schedule_.message(operation.message());
      const Time latency = machine_.latency(message.from, message.to, message.size);
      const Time gap = outgoing ? machine_.send_gap(message.from, message.to, message.size)
                                : machine_.receive_gap(message.from, message.to, message.size);
      if (latency <= Time{0}) return;
      const std::int64_t capacity = gap > Time{0} ? latency / gap + (latency % gap > Time{0} ? 1 : 0) : 0;
      result[(outgoing ? message.from : message.to).index()].push_back(
          {&operation, operation.end, operation.end + latency, capacity});
    });
    return result;
  }

  /// At most ceil(L / g) messages in flight from and to each processor; with a repetition time also across
  /// it.
  void check_capacity() { check_capacity(std::nullopt); }

  void check_capacity(std::optional<Time> repetition) {
    for (bool outgoing : {true, false}) {
      const auto by_processor = flights(outgoing);
      for (std::size_t p = 0; p < by_processor.size(); ++p)
        check_capacity(p, outgoing, by_processor[p], repetition);
    }
  }

  void check_capacity(std::size_t p, bool outgoing, const std::vector<InFlight>& own,
                      std::optional<Time> repetition) {
    struct Change {
      Time at;
      int by;
      const InFlight* flight;
    };
    // Copies of the flights of earlier and later repetitions, as far as they can meet this repetition's.
    std::vector<Change> changes;
    if (own.empty()) return;
    Time first = own.front().enter, last = own.front().leave;
    for (const InFlight& flight : own) {
      first = std::min(first, flight.enter);
      last = std::max(last, flight.leave);
    }
    const Time::rep copies = repetition && *repetition > Time{0} ? (last - first) / *repetition : 0;
    if (repetition && copies == 0) return;
    for (Time::rep copy = -copies; copy <= copies; ++copy)
      for (const InFlight& flight : own) {
        const Time shift = repetition ? copy * *repetition : Time{0};
        changes.push_back({flight.enter + shift, +1, &flight});
        changes.push_back({flight.leave + shift, -1, &flight});
      }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
      return std::tuple(a.at, a.by) < std::tuple(b.at, b.by);
    });
    std::int64_t count = 0;
    std::multiset<std::int64_t> capacities;  // of those in flight; 0 is no limit and is left out
    for (const Change& change : changes) {
      count += change.by;
      const std::int64_t capacity = change.flight->capacity;
      if (capacity > 0) {
        if (change.by > 0)
          capacities.insert(capacity);
        else
          capacities.erase(capacities.find(capacity));
      }
      const bool is_own = first <= change.at && change.at < last;
      if (change.by > 0 && is_own && !capacities.empty() && count > *capacities.begin()) {
        report("capacity", p, change.flight->send->start,
               "{} puts {} messages in flight {} the processor at {}{}: ceil(L / g) is {}",
               describe(*change.flight->send), count, outgoing ? "from" : "to", change.at.count(),
               repetition ? fmt::format(", with a repetition every {},", repetition->count()) : "",
               *capacities.begin());
        if (repetition) return;
      }
    }
  }

  /// The same timetable again after every repetition time: no collisions at the seam.
  void check_repetition() {
    const Time repetition = options_.repetition.value_or(measure(schedule_).repetition);
    for (std::size_t p = 0; p < schedule_.processors.size(); ++p) {
      const std::vector<Operation>& operations = schedule_.processors[p];
      if (operations.empty()) continue;
      const Operation& first = operations.front();
      for (const Operation& operation : operations)
        if (operation.end > first.start + repetition) {
          report("repetition", p, operation.start, "{} has not ended when the next repetition begins at {}",
                 describe(operation), (first.start + repetition).count());
          break;
        }
      for (OperationKind kind : {OperationKind::send, OperationKind::receive}) {
        auto is_kind = [&](const Operation& operation) { return operation.kind == kind; };
        const auto head = std::find_if(operations.begin(), operations.end(), is_kind);
        if (head == operations.end()) continue;
        const auto tail = std::find_if(operations.rbegin(), operations.rend(), is_kind);
        report_gap(kind == OperationKind::send ? "send-gap" : "receive-gap", p, *tail, *head, repetition);
      }
    }
    check_capacity(repetition);
  }

  // ---- data ----

  struct Computation {
    const Operation* operation = nullptr;
    std::size_t processor = 0;
  };

  [[nodiscard]] std::size_t index(TaskId task, std::uint32_t instance) const {
    return instance * graph_.task_count() + task.index();
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  const Schedule& schedule_;
  const DiagnosticOptions& options_;
  std::vector<Found> found_;
  std::vector<Computation> computed_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Transfer> transfers_;
};

}  // namespace

std::vector<Finding> diagnose(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
                              const DiagnosticOptions& options) {
  return Checker(graph, machine, schedule, options).run();
}

}  // namespace takt::logp
