#pragma once
/// Shared parts of the checks of logp/diagnostics: the indexed schedule, and the list of findings.

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

/// A task of one instance in the schedule; without an operation if the schedule lacks it.
struct Computation {
  const Operation* operation = nullptr;
  ProcessorId processor;
};

/// A message of one instance in the schedule: a send, a receive, or both.
struct Transfer {
  const Operation* send = nullptr;
  const Operation* receive = nullptr;

  [[nodiscard]] const Operation& any() const { return send != nullptr ? *send : *receive; }
  [[nodiscard]] MessageId message() const { return any().message(); }
  [[nodiscard]] std::uint32_t instance() const { return any().instance; }
};

/// The operations of a schedule, indexed by task and message.
struct OperationIndex {
  /// By instance, then task.
  std::vector<Computation> computations;
  /// In order of instance, then message.
  std::vector<Transfer> transfers;
};

/// A schedule under test, and the findings. Several examinations can share the schedule and its index, each
/// with its own findings, in threads of their own once the index is filled.
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

  /// Returns the position in `index.transfers` of a send or receive. O(log n); O(1) for one instance without
  /// errors.
  [[nodiscard]] std::size_t transfer_index(const Operation& operation) const;
  /// Returns whether there is one instance without errors: a message's number is then its position.
  [[nodiscard]] bool has_all_transfers() const {
    return schedule.replicas == 1 && index.transfers.size() == schedule.messages.size();
  }
  /// Returns the message of `index.transfers[place]`.
  [[nodiscard]] MessageId message_at(std::size_t place) const {
    return has_all_transfers() ? MessageId(place) : index.transfers[place].message();
  }

  /// Records a violation of a rule on a processor at a time.
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
  /// Returns an examination of the same schedule without findings, for a parallel check.
  [[nodiscard]] Examination without_findings() const { return {graph, machine, schedule, options, index}; }
  /// Returns whether threads pay off.
  [[nodiscard]] bool is_long() const {
    constexpr std::size_t many = 100'000;
    return std::max(schedule.messages.size(), graph.task_count()) >= many;
  }
  /// Appends the findings of another examination of the same schedule.
  void append(Examination&& others);
  /// Returns at most `options.limit` findings, in order of processor and time.
  [[nodiscard]] std::vector<Finding> findings() &&;

  /// Returns `send of message 3 (P1 -> P2) at 4..6`, with the instance if there are several.
  [[nodiscard]] std::string describe(const Operation& operation) const;
  [[nodiscard]] std::string describe(DatumId datum) const;

  /// Calls `visit(processor, operation)` for every operation, and `fetch(operation)`
  /// some operations before. Operations are in another order than tasks and messages
  /// in memory, so the data of later visits are prefetched. (Functions of prefetches
  /// must be inlined: otherwise GCC drops them as without effect.)
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
  /// The same for one processor.
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

// Checks of correctness: every task is done, and every datum reaches its consumers.

/// Checks that all references are valid, as the other checks assume. Rule `reference`.
void check_references(Examination& examination);
/// Checks that each instance has every task once; fills `index.computations`. Rules `task-once`, `duration`.
void check_tasks(Examination& examination);
/// Checks that each message is sent once by its sender and received once by its receiver, and has the size of
/// its data; fills `index.transfers`. Rules `matching`, `duration`, `size`.
void check_messages(Examination& examination);
/// Checks that a send has its data on the sender, and a task its inputs on its processor: follows each datum
/// from its task along the messages, also over relays. Rules `data`, `edge`.
void check_data(Examination& examination);
/// Checks that a stateful task has its instances in order on one processor. Rule `state`.
void check_state(Examination& examination);

/// Checks that the tasks of a device work on it once for each instance, at the earliest when their work can
/// have arrived from the processor or from their device before, and that there are never more at a time than
/// units, modulo the repetition; also that the repetition leaves enough time for the instances that may be
/// under way. Rules `device`, `duration`.
void check_devices(Examination& examination);

/// Replaces these four if groups of processors work on moldable tasks. Every processor of a group executes
/// the task at the same times, within one cluster, and no task begins before its data are redistributed to
/// its group. Rules `task-once`, `group`, `duration`, `redistribution`, `state`.
void check_groups(Examination& examination);

// Checks of LogP conformity, also under repetition.

/// Checks that a processor executes one operation at a time, in a feasible order: with operations of length
/// 0, processors can wait for each other in a cycle although all times fit. Rules `start`, `overlap`,
/// `duration`, `circle`.
void check_sequence(Examination& examination);
/// Checks that no receive is earlier than the arrival of its message: o + L after the send, or the end of its
/// last link. Rule `latency`.
void check_latency(Examination& examination);
/// Checks that successive sends, and receives, start max(o, g) apart. Rules `send-gap`, `receive-gap`, `gap`.
void check_gaps(Examination& examination);
/// Checks that a route consists of connected links from the sender's node to the receiver's, each used in
/// sequence for its full time, and that no link carries two messages at a time. Rules `route`, `link`.
void check_links(Examination& examination);
/// The same for all iterations together.
void check_links_repeated(Examination& examination, Time repetition);
/// Checks that at most ceil(L / g) messages are in flight from and to a processor. Rule `capacity`.
void check_capacity(Examination& examination);
/// Checks that the makespan is not below the schedule's own bound. Rule `bound`.
void check_bounds(Examination& examination);
/// Checks for collisions between iterations, and that the period is not below the schedule's own bound. A
/// processor ends an iteration before the next one; in a pipelined schedule operations of several iterations
/// alternate, and everything is checked modulo the repetition. Rules `bound`, `repetition`, `send-gap`,
/// `receive-gap`, `gap`, `capacity`, `link`, `state`.
void check_repetition(Examination& examination);

}  // namespace takt::logp
