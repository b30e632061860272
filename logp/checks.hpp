#pragma once
/// What the checks of logp/diagnostics share: the schedule under test, indexed, and the list of findings.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/schedule.hpp"
#include "logp/finding.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// A task of one instance as the schedule carries it out; no operation when it does not.
struct Computation {
  const Operation* operation = nullptr;
  ProcessorId processor;
};

/// A message of one instance as the schedule carries it out: by a send, a receive, or both.
struct Transfer {
  const Operation* send = nullptr;
  const Operation* receive = nullptr;

  [[nodiscard]] const Operation& any() const { return send != nullptr ? *send : *receive; }
  [[nodiscard]] MessageId message() const { return any().message(); }
  [[nodiscard]] std::uint32_t instance() const { return any().instance; }
};

/// The operations of a schedule by what they are about.
struct OperationIndex {
  /// By instance, then task.
  std::vector<Computation> computations;
  /// In order of instance, then message.
  std::vector<Transfer> transfers;
};

/// A schedule under test, and what was found. Several can share the schedule and its index, each with
/// findings of its own, in threads of their own once the index is filled.
struct Examination {
  Examination(const TaskGraph& a_graph, const Machine& a_machine, const Schedule& a_schedule,
              const DiagnosticOptions& an_options, OperationIndex& an_index)
      : graph(a_graph), machine(a_machine), schedule(a_schedule), options(an_options), index(an_index) {}

  const TaskGraph& graph;
  const Machine& machine;
  const Schedule& schedule;
  const DiagnosticOptions& options;
  OperationIndex& index;

  [[nodiscard]] Computation& computation(TaskId task, std::uint32_t instance) {
    return index.computations[instance * graph.task_count() + task.index()];
  }
  [[nodiscard]] const Computation& computation(TaskId task, std::uint32_t instance) const {
    return index.computations[instance * graph.task_count() + task.index()];
  }

  /// Place in `index.transfers` of a send or receive. O(log n), O(1) where there is one instance and nothing
  /// amiss.
  [[nodiscard]] std::size_t transfer_index(const Operation& operation) const;
  /// Whether there is one instance and nothing amiss, so that a message's number is its transfer's place.
  [[nodiscard]] bool has_all_transfers() const {
    return schedule.replicas == 1 && index.transfers.size() == schedule.messages.size();
  }
  /// The message of `index.transfers[place]`.
  [[nodiscard]] MessageId message_at(std::size_t place) const {
    return has_all_transfers() ? MessageId(place) : index.transfers[place].message();
  }

  /// Notes that a rule is broken on a processor at a time.
  template <class... Arguments>
  void report(std::string_view rule, ProcessorId processor, Time time, fmt::format_string<Arguments...> text,
              Arguments&&... arguments) {
    found_.push_back(
        {processor,
         time,
         {std::string(rule), fmt::format("processor {}: {}", processor.index(),
                                         fmt::format(text, std::forward<Arguments>(arguments)...))}});
  }
  [[nodiscard]] bool found_nothing() const { return found_.empty(); }
  /// One of the same schedule that has found nothing yet, for what is done at the same time.
  [[nodiscard]] Examination beside() const { return {graph, machine, schedule, options, index}; }
  /// Whether threads are worth their while.
  [[nodiscard]] bool is_long() const {
    constexpr std::size_t many = 100'000;
    return std::max(schedule.messages.size(), graph.task_count()) >= many;
  }
  /// The findings of another examination of the same schedule, behind those of this one.
  void append(Examination&& others);
  /// In order of processor and time, `options.limit` at most.
  [[nodiscard]] std::vector<Finding> findings() &&;

  /// `send of message 3 (P1 -> P2) at 4..6`, with the instance where there are several.
  [[nodiscard]] std::string describe(const Operation& operation) const;
  [[nodiscard]] std::string describe(DatumId datum) const;

  /// Calls `visit(processor, operation)` for every operation, and `fetch(operation)` some operations before:
  /// tasks are done, and messages received, in another order than they stand in, so that what is looked at is
  /// fetched from memory beforehand. (Functions of prefetches have to be inlined: GCC takes them for such
  /// without effect.)
  template <class Visitor, class Fetch>
  void for_each_operation(Visitor visit, Fetch fetch) const {
    for (std::size_t p = 0; p < schedule.processors.size(); ++p)
      for_each_of_processor(
          ProcessorId(p), [&](const Operation& operation) { visit(ProcessorId(p), operation); }, fetch);
  }
  template <class Visitor>
  void for_each_operation(Visitor visit) const {
    for_each_operation(
        visit, [this](const Operation& operation)
                   __attribute__((always_inline)) { fetch_message(operation); });
  }
  /// The same of one processor.
  template <class Visitor, class Fetch>
  void for_each_of_processor(ProcessorId processor, Visitor visit, Fetch fetch) const {
    constexpr std::size_t ahead = 16;
    const std::vector<Operation>& operations = schedule.processors[processor.index()];
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (i + ahead < operations.size()) fetch(operations[i + ahead]);
      visit(operations[i]);
    }
  }
  [[gnu::always_inline]] void fetch_message(const Operation& operation) const {
    if (operation.kind != OperationKind::compute && operation.subject < schedule.messages.size())
      __builtin_prefetch(&schedule.messages[operation.subject]);
  }

 private:
  struct Found {
    ProcessorId processor;
    Time time;
    Finding finding;
  };
  std::vector<Found> found_;
};

// Is it correct? Every task is done, and every datum gets to where it is needed.

/// Everything that the schedule names exists. The other checks rely on it. Rule `reference`.
void check_references(Examination& examination);
/// Every task once for each instance; fills `index.computations`. Rules `task-once`, `duration`.
void check_tasks(Examination& examination);
/// Each message is sent once by its sender and received once by its receiver, and its size is that of its
/// data; fills `index.transfers`. Rules `matching`, `duration`, `size`.
void check_messages(Examination& examination);
/// A send needs its data on the sender, a task its inputs on its processor: follows each datum from its task
/// along the messages, over relays too. Rules `data`, `edge`.
void check_data(Examination& examination);
/// A task with state sees the instances in order on one processor. Rule `state`.
void check_state(Examination& examination);

/// The same where groups of processors work on moldable tasks, in the place of these four: every processor of
/// a group does the task at the same times, within one cluster, and no task begins before its data are
/// redistributed to its group. Rules `task-once`, `group`, `duration`, `redistribution`, `state`.
void check_groups(Examination& examination);

// Is it well defined? It obeys LogP, also when it repeats.

/// One operation at a time on a processor, in an order that can be carried out: with operations that take no
/// time, processors can wait for each other in a circle although all times fit. Rules `start`, `overlap`,
/// `duration`, `circle`.
void check_sequence(Examination& examination);
/// No receive before its message can be there: o + L after the send, or when it has passed its links. Rule
/// `latency`.
void check_latency(Examination& examination);
/// Successive sends, and receives, start max(o, g) apart. Rules `send-gap`, `receive-gap`, `gap`.
void check_gaps(Examination& examination);
/// A message with a route passes links that lead from its sender's node to its receiver's, one after the
/// other, each for as long as it takes, and no link carries two messages at once. Rules `route`, `link`.
void check_links(Examination& examination);
/// The same for all repetitions together.
void check_links_repeated(Examination& examination, Time repetition);
/// At most ceil(L / g) messages in flight from and to a processor. Rule `capacity`.
void check_capacity(Examination& examination);
/// No makespan shorter than the schedule's own bound. Rule `bound`.
void check_bounds(Examination& examination);
/// No collision with the next repetition, and no repetition sooner than the schedule's own bound. Rules
/// `bound`, `repetition`, `send-gap`, `receive-gap`, `gap`, `capacity`, `link`.
void check_repetition(Examination& examination);

}  // namespace takt::logp
