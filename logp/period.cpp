#include "logp/period.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "logp/constraints.hpp"
#include "logp/traffic.hpp"

namespace takt::logp {

namespace {

/// Returns the busy time of the busiest processor per iteration.
Time busiest(const Schedule& schedule) {
  Time most{0};
  for (const std::vector<Operation>& operations : schedule.processors) {
    Time busy{0};
    for (const Operation& operation : operations) busy += operation.end - operation.start;
    most = std::max(most, busy);
  }
  return most;
}

/// The order in which each link carries its messages.
enum class LinkOrder {
  /// As in the given schedule, iteration after iteration.
  by_repetition,
  /// As in the given schedule under repetition: a message of one iteration can follow one of a later
  /// iteration.
  as_repeated,
};

/// The constraints of one schedule; variables are its operations, processor by processor, and its hops.
class PeriodProblem {
 public:
  PeriodProblem(const Machine& machine, const Schedule& schedule,
                LinkOrder link_order = LinkOrder::by_repetition)
      : schedule_(schedule),
        costs_(machine, schedule),
        has_circuits_(machine.platform().network.has_circuits),
        constraints_(0) {
    make_room();
    for (const std::vector<Operation>& operations : schedule.processors) {
      first_.push_back(static_cast<std::uint32_t>(operations_.size()));
      for (const Operation& operation : operations) {
        operations_.push_back(&operation);
        constraints_.add_variable();
      }
    }
    first_.push_back(static_cast<std::uint32_t>(operations_.size()));
    first_hop_ = first_.back();
    for (std::size_t i = 0; i < schedule.hops.size(); ++i) constraints_.add_variable();
    for (std::size_t p = 0; p < schedule.processors.size(); ++p) add_processor(p);
    add_messages();
    add_travelling();
    add_links(link_order);
  }

  /// The order in which messages enter the network if its capacity is limited.
  enum class NetworkOrder {
    /// No order is required.
    any,
    /// As in the given schedule, iteration after iteration.
    given,
    /// As in the timetable of the last solution
    /// without an order, where a message of one
    /// iteration can follow one of a later iteration.
    found,
  };
  /// The smallest period from `at_least` on. Nothing if its times exceed the network's capacity.
  [[nodiscard]] std::optional<Schedule> solve(NetworkOrder order, Time at_least = Time{0});

 private:
  /// Exactly: growing lists of a million operations would need more memory than the schedule.
  void make_room() {
    std::size_t operations = 0, constraints = 2 * schedule_.hops.size();
    for (const std::vector<Operation>& each : schedule_.processors) {
      operations += each.size();
      for (const Operation& operation : each)
        constraints += operation.kind == OperationKind::compute ? 1
                       : operation.kind == OperationKind::send  ? 2
                                                                : 3;
    }
    operations_.reserve(operations);
    constraints_.reserve(constraints);
  }

  void add_processor(std::size_t p) {
    const std::uint32_t begin = first_[p], end = first_[p + 1];
    if (begin == end) return;
    for (std::uint32_t i = begin; i + 1 < end; ++i) constraints_.require(i, i + 1, length(i));
    constraints_.require(end - 1, begin, length(end - 1), 1);
    for (OperationKind kind : {OperationKind::send, OperationKind::receive}) {
      std::optional<std::uint32_t> head, last;
      for (std::uint32_t i = begin; i < end; ++i) {
        if (operations_[i]->kind != kind) continue;
        if (last) constraints_.require(*last, i, gap(*last));
        if (!head) head = i;
        last = i;
      }
      if (head) constraints_.require(*last, *head, gap(*last), 1);
    }
  }

  void add_messages() {
    std::unordered_map<std::uint64_t, std::uint32_t> sends;
    auto key = [](const Operation& operation) {
      return std::uint64_t{operation.instance} << 32 | operation.subject;
    };
    for (std::uint32_t i = 0; i < operations_.size(); ++i)
      if (operations_[i]->kind == OperationKind::send) sends.emplace(key(*operations_[i]), i);
    for (std::uint32_t i = 0; i < operations_.size(); ++i)
      if (operations_[i]->kind == OperationKind::receive)
        if (const auto send = sends.find(key(*operations_[i])); send != sends.end())
          add_message(send->second, i);
  }

  /// The instances of a task whose state travels follow each other, on any processors.
  void add_travelling() {
    for (const TaskId task : schedule_.travelling) {
      std::vector<std::uint32_t> instances(schedule_.replicas);
      for (std::uint32_t i = 0; i < operations_.size(); ++i)
        if (operations_[i]->kind == OperationKind::compute && operations_[i]->task() == task)
          instances[operations_[i]->instance] = i;
      for (std::uint32_t k = 0; k + 1 < schedule_.replicas; ++k)
        constraints_.require(instances[k], instances[k + 1], length(instances[k]));
      constraints_.require(instances.back(), instances.front(), length(instances.back()), 1);
    }
  }
  /// Returns the least time between iterations in which states can travel.
  [[nodiscard]] static Time repetition_of_travelling(const Schedule& schedule) {
    std::map<TaskId, Time> starts, ends;
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations) {
        if (operation.kind != OperationKind::compute) continue;
        if (operation.instance == 0) starts[operation.task()] = operation.start;
        if (std::uint32_t{operation.instance} + 1 == schedule.replicas)
          ends[operation.task()] = operation.end;
      }
    Time most{0};
    for (const TaskId task : schedule.travelling) most = std::max(most, ends[task] - starts[task]);
    return most;
  }

  /// In flight, or on a sequence of links.
  void add_message(std::uint32_t send, std::uint32_t receive) {
    const Message& message = schedule_.message(operations_[send]->message());
    if (message.hop_count == 0) {
      constraints_.require(send, receive, costs_[operations_[send]->subject].transit());
      return;
    }
    std::uint32_t before = send;
    Time passed = length(send);
    for (std::uint32_t hop = message.first_hop; hop < message.first_hop + message.hop_count; ++hop) {
      constraints_.require(before, first_hop_ + hop, passed);
      const Time length = schedule_.hops[hop].end - schedule_.hops[hop].start;
      // Links of a circuit are held together.
      const bool is_together = has_circuits_ && hop > message.first_hop;
      if (is_together) constraints_.require(first_hop_ + hop, before, Time{0});
      before = first_hop_ + hop;
      passed = has_circuits_ && hop + 1 < message.first_hop + message.hop_count ? Time{0} : length;
    }
    constraints_.require(before, receive, passed);
  }

  /// A message on a link, at a time between 0 and the period, `turns` iterations before its own.
  struct Passing {
    std::uint32_t hop;
    Time start{0};
    std::int32_t turns = 0;
  };

  void add_links(LinkOrder order) {
    const Time repetition = std::max(Time{1}, measure(schedule_).repetition);
    std::map<LinkId, std::vector<Passing>> by_link;
    for (std::uint32_t i = 0; i < schedule_.hops.size(); ++i) {
      const Hop& hop = schedule_.hops[i];
      if (hop.end == hop.start) continue;
      const Time::rep turns = order == LinkOrder::by_repetition ? 0 : hop.start / repetition;
      by_link[hop.link].push_back({i, hop.start - turns * repetition, static_cast<std::int32_t>(turns)});
    }
    for (auto& [link, passings] : by_link) {
      std::ranges::stable_sort(passings, std::less{}, &Passing::start);
      for (std::size_t k = 0; k < passings.size(); ++k) {
        const bool is_last = k + 1 == passings.size();
        const Passing &one = passings[k], &next = passings[is_last ? 0 : k + 1];
        constraints_.require(first_hop_ + one.hop, first_hop_ + next.hop,
                             schedule_.hops[one.hop].end - schedule_.hops[one.hop].start,
                             one.turns - next.turns + (is_last ? 1 : 0));
      }
    }
  }

  enum class Side { sender, receiver };

  /// With capacity c at one side of a processor, the message after the next c - 1 ones enters only when all
  /// up to this one have left.
  void add_capacity(Side side, NetworkOrder order, PeriodicConstraints& constraints) const {
    std::vector<std::vector<std::uint32_t>> sends(schedule_.processors.size());
    for (std::uint32_t i = 0; i < operations_.size(); ++i)
      if (operations_[i]->kind == OperationKind::send && costs_[operations_[i]->subject].latency > Time{0}) {
        const Message& message = schedule_.message(operations_[i]->message());
        if (message.hop_count > 0) continue;
        sends[(side == Side::sender ? message.from : message.to).index()].push_back(i);
      }
    for (std::vector<std::uint32_t>& flights : sends) {
      std::int64_t capacity = Flight::unlimited;
      for (std::uint32_t i : flights) {
        const FlightCosts& costs = costs_[operations_[i]->subject];
        capacity = std::min(capacity, side == Side::sender ? costs.send_capacity : costs.receive_capacity);
      }
      if (capacity == Flight::unlimited || flights.empty()) continue;
      std::vector<Flying> queue;
      for (std::uint32_t i : flights) queue.push_back(place(i, order));
      std::ranges::stable_sort(queue, std::less{}, &Flying::enter);
      add_queue(queue, capacity, constraints);
    }
  }

  /// A message that enters the network at a time between
  /// 0 and the period, `turns` iterations before its own.
  struct Flying {
    std::uint32_t send;
    Time enter{0};
    std::int32_t turns = 0;
  };
  [[nodiscard]] Flying place(std::uint32_t send, NetworkOrder order) const {
    if (order == NetworkOrder::given) return {send, operations_[send]->end, 0};
    const Time enter = free_.values[send] + costs_[operations_[send]->subject].send_overhead;
    const Time::rep turns = enter / free_.period;
    return {send, enter - turns * free_.period, static_cast<std::int32_t>(turns)};
  }

  void add_queue(const std::vector<Flying>& queue, std::int64_t capacity,
                 PeriodicConstraints& constraints) const {
    const auto count = static_cast<std::int64_t>(queue.size());
    // all_left[i]: time at which this flight and all before it have left.
    std::vector<std::uint32_t> all_left;
    for (const Flying& flying : queue) {
      const std::uint32_t variable = constraints.add_variable();
      if (!all_left.empty()) constraints.require(all_left.back(), variable, Time{0});
      const FlightCosts& costs = costs_[operations_[flying.send]->subject];
      constraints.require(flying.send, variable, costs.send_overhead + costs.latency, flying.turns);
      all_left.push_back(variable);
    }
    constraints.require(all_left.back(), all_left.front(), Time{0}, 1);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t turns = i >= capacity ? 0 : (capacity - i + count - 1) / count;
      const std::int64_t before = i - capacity + turns * count;
      const Flying& flying = queue[static_cast<std::size_t>(i)];
      constraints.require(all_left[static_cast<std::size_t>(before)], flying.send,
                          -costs_[operations_[flying.send]->subject].send_overhead,
                          static_cast<std::int32_t>(turns) - flying.turns);
    }
  }

  [[nodiscard]] Time length(std::uint32_t i) const { return operations_[i]->end - operations_[i]->start; }
  [[nodiscard]] Time gap(std::uint32_t i) const {
    const FlightCosts& costs = costs_[operations_[i]->subject];
    return operations_[i]->kind == OperationKind::send ? costs.send_gap : costs.receive_gap;
  }

  const Schedule& schedule_;
  const FlightCostTable costs_;
  const bool has_circuits_;
  PeriodicConstraints constraints_;
  std::vector<const Operation*> operations_;
  /// First variable of each processor, and one past the last.
  std::vector<std::uint32_t> first_;
  /// Variable of the first hop.
  std::uint32_t first_hop_ = 0;
  /// The last solution without an order in the network.
  PeriodicConstraints::Solution free_;
};

std::optional<Schedule> PeriodProblem::solve(NetworkOrder order, Time at_least) {
  // Without a solution for any order there is none for a certain one.
  if (order == NetworkOrder::found && free_.values.empty()) return std::nullopt;
  std::optional<PeriodicConstraints> with_capacity;
  if (order != NetworkOrder::any) {
    with_capacity = constraints_;
    add_capacity(Side::sender, order, *with_capacity);
    add_capacity(Side::receiver, order, *with_capacity);
  }
  std::optional<PeriodicConstraints::Solution> found =
      (with_capacity ? *with_capacity : constraints_).solve(std::max(at_least, busiest(schedule_)));
  if (!found) return std::nullopt;
  with_capacity.reset();
  if (order == NetworkOrder::any) free_ = *std::move(found);
  const PeriodicConstraints::Solution& solution = order == NetworkOrder::any ? free_ : *found;

  Schedule result = schedule_;
  Traffic traffic(result.processors.size(), costs_);
  std::uint32_t variable = 0;
  for (std::vector<Operation>& operations : result.processors)
    for (Operation& operation : operations) {
      const Time start = solution.values[variable++];
      operation.end += start - operation.start;
      operation.start = start;
      if (operation.kind != OperationKind::send) continue;
      if (traffic.conflict(result, operation.message(), start)) return std::nullopt;
      traffic.add(result, operation.message(), start);
    }
  for (Hop& hop : result.hops) {
    const Time start = solution.values[variable++];
    hop.end += start - hop.start;
    hop.start = start;
  }
  result.least_repetition = Time{0};
  const Time repetition = std::max(repetition_of(result, costs_, traffic), repetition_of_travelling(result));
  if (repetition > solution.period) return std::nullopt;
  if (repetition > measure(result).repetition) result.least_repetition = repetition;
  return result;
}

}  // namespace

Schedule with_least_repetition(const Machine& machine, Schedule schedule) {
  // The repetition of a pipelined schedule is its own.
  if (schedule.repetition) return schedule;
  // No timetable is faster than the busiest processor.
  if (measure(schedule).repetition <= busiest(schedule)) return schedule;
  std::optional<Schedule> best;
  auto keep_shorter = [&](std::optional<Schedule> other) {
    const bool found = other.has_value();
    if (found && measure(*other).repetition < measure(best ? *best : schedule).repetition)
      best = std::move(other);
    return found;
  };
  for (const LinkOrder links : {LinkOrder::by_repetition, LinkOrder::as_repeated}) {
    PeriodProblem problem(machine, schedule, links);
    if (!keep_shorter(problem.solve(PeriodProblem::NetworkOrder::any))) {
      keep_shorter(problem.solve(PeriodProblem::NetworkOrder::given));
      keep_shorter(problem.solve(PeriodProblem::NetworkOrder::found));
    }
    if (schedule.hops.empty()) break;
  }
  return best ? *std::move(best) : std::move(schedule);
}

std::optional<Schedule> with_repetition(const Machine& machine, const Schedule& schedule, Time repetition) {
  if (!schedule.hops.empty() || schedule.repetition)
    return measure(schedule).repetition <= repetition ? std::optional(schedule) : std::nullopt;
  PeriodProblem problem(machine, schedule);
  using Order = PeriodProblem::NetworkOrder;
  for (const Order order : {Order::any, Order::given})
    if (auto found = problem.solve(order, repetition))
      return measure(*found).repetition <= repetition ? std::move(found) : std::nullopt;
  return std::nullopt;
}

std::optional<Schedule> with_travelling_states(const Machine& machine, const Schedule& schedule) {
  if (schedule.repetition) return std::nullopt;
  PeriodProblem problem(machine, schedule);
  using Order = PeriodProblem::NetworkOrder;
  for (const Order order : {Order::any, Order::given, Order::found})
    if (auto found = problem.solve(order)) return found;
  return std::nullopt;
}

Time least_repetition(const Machine& machine, const Schedule& schedule) {
  return measure(with_least_repetition(machine, schedule)).repetition;
}

}  // namespace takt::logp
