#include "logp/execution.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <ranges>
#include <span>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "logp/link_times.hpp"
#include "logp/traffic.hpp"

namespace takt::logp {

namespace {

class Execution {
 public:
  Execution(const TaskGraph& graph, const Machine& machine, Schedule& schedule)
      : graph_(graph),
        machine_(machine),
        schedule_(schedule),
        costs_(machine, schedule),
        traffic_(machine.processor_count(), costs_),
        states_(machine.processor_count()),
        is_sent_(schedule.messages.size(), false),
        arrival_(schedule.messages.size(), Time{0}),
        run_of_(schedule.messages.size()) {
    find_runs();
  }

  void run() {
    for (ProcessorId p : machine_.processors()) advance(p);
    while (!sends_.empty()) {
      const auto [time, p] = sends_.top();
      sends_.pop();
      send_or_wait(p, time);
    }
    check_all_done();
  }

  void delay();

  void set_least_repetition();

 private:
  struct State {
    std::size_t next = 0;
    Time ready{0};
    Time next_send = Time::min();
    Time next_receive = Time::min();
    /// Number of messages of the run of receives at `next` that have not been sent yet.
    std::size_t missing = 0;
  };
  using Waiting = std::pair<Time, ProcessorId>;

  static bool is_receive(const Operation& operation) { return operation.kind == OperationKind::receive; }
  std::vector<Operation>& operations(ProcessorId p) { return schedule_.processors[p.index()]; }

  /// Stores for each message the position of its run in its receiver's operations, and reserves memory.
  void find_runs() {
    std::size_t count = 0;
    for (const std::vector<Operation>& operations : schedule_.processors) {
      count += operations.size();
      std::uint32_t begin = 0;
      for (std::uint32_t i = 0; i < operations.size(); ++i) {
        if (!is_receive(operations[i])) continue;
        if (i == 0 || !is_receive(operations[i - 1])) begin = i;
        run_of_[operations[i].subject] = begin;
      }
    }
    log_.reserve(count);
  }

  void carry_out(ProcessorId p, Operation& operation, Time start, Time end) {
    operation.start = start;
    operation.end = end;
    log_.push_back(p);
  }

  /// Executes all operations that need no other processor, up to the next send or a missing message.
  void advance(ProcessorId p) {
    std::vector<Operation>& all = operations(p);
    State& state = states_[p.index()];
    while (state.next < all.size()) {
      Operation& operation = all[state.next];
      if (operation.kind == OperationKind::send) {
        sends_.emplace(std::max(state.ready, state.next_send), p);
        return;
      }
      if (is_receive(operation)) {
        if (!receive_run(p, state)) return;
        continue;
      }
      const Time end = state.ready + machine_.duration(graph_, operation.task(), p);
      carry_out(p, operation, state.ready, end);
      state.ready = end;
      ++state.next;
    }
  }

  /// Receives a whole run in order of arrival once all of it is in flight; false if a message is missing.
  bool receive_run(ProcessorId p, State& state) {
    std::vector<Operation>& all = operations(p);
    std::size_t end = state.next;
    state.missing = 0;
    for (; end < all.size() && is_receive(all[end]); ++end)
      if (!is_sent_[all[end].subject]) ++state.missing;
    if (state.missing > 0) return false;
    const std::span<Operation> run = std::span(all).subspan(state.next, end - state.next);
    if (run.size() > 1)
      std::ranges::sort(run, {}, [this](const Operation& receive) {
        return std::tuple(arrival_[receive.subject], schedule_.message(receive.message()).from,
                          receive.subject);
      });
    for (Operation& receive : run) {
      const FlightCosts& costs = costs_[receive.subject];
      const Time start = std::max({state.ready, state.next_receive, arrival_[receive.subject]});
      state.ready = start + costs.receive_overhead;
      state.next_receive = start + costs.receive_gap;
      carry_out(p, receive, start, state.ready);
    }
    state.next = end;
    return true;
  }

  void send_or_wait(ProcessorId p, Time time) {
    State& state = states_[p.index()];
    Operation& send = operations(p)[state.next];
    const MessageId id = send.message();
    const Message& message = schedule_.message(id);
    const FlightCosts& costs = costs_[id.index()];
    if (const std::optional<Time> later = traffic_.conflict(schedule_, id, time)) {
      sends_.emplace(*later, p);
      return;
    }
    traffic_.add(schedule_, id, time);
    state.ready = time + costs.send_overhead;
    state.next_send = time + costs.send_gap;
    carry_out(p, send, time, state.ready);
    ++state.next;
    is_sent_[id.index()] = true;
    arrival_[id.index()] = message.hop_count == 0 ? time + costs.transit() : carry(message, state.ready);
    State& receiver = states_[message.to.index()];
    if (receiver.missing > 0 && receiver.next == run_of_[id.index()] && --receiver.missing == 0)
      advance(message.to);
    advance(p);
  }

  Time carry(const Message& message, Time ready) {
    const std::span<Hop> route(&schedule_.hops[message.first_hop], message.hop_count);
    std::vector<LinkId> links;
    for (const Hop& hop : route) links.push_back(hop.link);
    std::size_t next = 0;
    machine_.platform().network.for_each_leg(links, message.size,
                                             [&](std::span<const LinkId> leg, Time length) {
                                               const Time start = links_.book(leg, ready, length);
                                               ready = start + length;
                                               for (std::size_t i = 0; i < leg.size(); ++i, ++next)
                                                 route[next].start = start, route[next].end = ready;
                                             });
    return ready;
  }

  void check_all_done() const {
    for (ProcessorId p : machine_.processors()) {
      const State& state = states_[p.index()];
      const std::vector<Operation>& all = schedule_.processors[p.index()];
      if (state.next == all.size()) continue;
      const MessageId waits_for = all[state.next].message();
      throw ConfigError(
          fmt::format("deadlock: this order of tasks is not executable (processor {} waits for a message of "
                      "processor {})",
                      p.index(), schedule_.message(waits_for).from.index()));
    }
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  Schedule& schedule_;
  const FlightCostTable costs_;
  Traffic traffic_;
  LinkTimes links_;
  std::vector<State> states_;
  /// Per message: whether it is sent, and its arrival; when operations move, the time of its receive.
  std::vector<bool> is_sent_;
  std::vector<Time> arrival_;
  std::vector<std::uint32_t> run_of_;
  /// The processor of each operation in the order of execution: causes before effects.
  std::vector<ProcessorId> log_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> sends_;
};

/// Keeps each processor's last operation and moves every other one as late as order, gaps, arrival and
/// capacity allow. A send that would exceed the capacity stays in place.
void Execution::delay() {
  const std::size_t count = machine_.processor_count();
  std::vector<Time> next_start(count, Time::max()), next_send(count, Time::max()),
      next_receive(count, Time::max());
  std::vector<Time>& receive_start = arrival_;
  std::vector<std::size_t> left(count);
  for (ProcessorId p : machine_.processors()) left[p.index()] = schedule_.processors[p.index()].size();
  for (ProcessorId processor : std::views::reverse(log_)) {
    const std::size_t p = processor.index();
    Operation& moved = schedule_.processors[p][--left[p]];
    const Time length = moved.end - moved.start;
    const bool is_last = next_start[p] == Time::max();
    Time start = is_last ? moved.start : next_start[p] - length;
    if (moved.kind == OperationKind::receive) {
      const FlightCosts& costs = costs_[moved.subject];
      if (next_receive[p] != Time::max()) start = std::min(start, next_receive[p] - costs.receive_gap);
      next_receive[p] = receive_start[moved.subject] = start;
    } else if (moved.kind == OperationKind::send) {
      const FlightCosts& costs = costs_[moved.subject];
      if (next_send[p] != Time::max()) start = std::min(start, next_send[p] - costs.send_gap);
      const auto route = schedule_.route(moved.message());
      start = std::min(start, route.empty() ? receive_start[moved.subject] - costs.transit()
                                            : route.front().start - costs.send_overhead);
      traffic_.remove(schedule_, moved.message(), moved.start);
      if (traffic_.conflict(schedule_, moved.message(), start)) start = moved.start;
      traffic_.add(schedule_, moved.message(), start);
      next_send[p] = start;
    }
    moved.start = start;
    moved.end = start + length;
    next_start[p] = start;
  }
}

/// If the period of the largest occupancy violates
/// a gap or the capacity, sets the least valid one.
void Execution::set_least_repetition() {
  const Time repetition = repetition_of(schedule_, costs_, traffic_);
  if (repetition > measure(schedule_).repetition) schedule_.least_repetition = repetition;
}

}  // namespace

void execute(const TaskGraph& graph, const Machine& machine, Start start, Schedule& schedule) {
  Execution execution(graph, machine, schedule);
  execution.run();
  if (start == Start::late) execution.delay();
  execution.set_least_repetition();
}

}  // namespace takt::logp
