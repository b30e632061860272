#include "logp/period.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "logp/constraints.hpp"
#include "logp/traffic.hpp"

namespace takt::logp {

namespace {

/// The constraints of one schedule; variables are its operations, processor by processor.
class PeriodProblem {
 public:
  PeriodProblem(const Machine& machine, const Schedule& schedule)
      : schedule_(schedule), costs_(message_costs(machine, schedule)), constraints_(0) {
    for (const std::vector<Operation>& operations : schedule.processors) {
      first_.push_back(static_cast<std::uint32_t>(operations_.size()));
      for (const Operation& operation : operations) {
        operations_.push_back(&operation);
        constraints_.add_variable();
      }
    }
    first_.push_back(static_cast<std::uint32_t>(operations_.size()));
    for (std::size_t p = 0; p < schedule.processors.size(); ++p) add_processor(p);
    add_messages();
  }

  [[nodiscard]] std::optional<Schedule> solve(bool with_capacity);

 private:
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
          constraints_.require(send->second, i, costs_[operations_[i]->subject].transit());
  }

  enum class Side { sender, receiver };

  /// With capacity c at one side of a processor, the message after the next c - 1 ones enters only when all
  /// up to this one have left.
  void add_capacity(Side side) {
    std::vector<std::vector<std::uint32_t>> sends(schedule_.processors.size());
    for (std::uint32_t i = 0; i < operations_.size(); ++i)
      if (operations_[i]->kind == OperationKind::send && costs_[operations_[i]->subject].latency > Time{0}) {
        const Message& message = schedule_.message(operations_[i]->message());
        sends[(side == Side::sender ? message.from : message.to).index()].push_back(i);
      }
    for (std::vector<std::uint32_t>& flights : sends) {
      std::int64_t capacity = Flight::unlimited;
      for (std::uint32_t i : flights) {
        const MessageCosts& costs = costs_[operations_[i]->subject];
        capacity = std::min(capacity, side == Side::sender ? costs.send_capacity : costs.receive_capacity);
      }
      if (capacity == Flight::unlimited || flights.empty()) continue;
      std::ranges::stable_sort(flights, std::less{}, [&](std::uint32_t i) { return operations_[i]->end; });
      add_queue(flights, capacity);
    }
  }

  void add_queue(const std::vector<std::uint32_t>& flights, std::int64_t capacity) {
    const auto count = static_cast<std::int64_t>(flights.size());
    // all_left[i]: when this flight and all before it have left.
    std::vector<std::uint32_t> all_left;
    for (std::uint32_t i : flights) {
      const std::uint32_t variable = constraints_.add_variable();
      if (!all_left.empty()) constraints_.require(all_left.back(), variable, Time{0});
      const MessageCosts& costs = costs_[operations_[i]->subject];
      constraints_.require(i, variable, costs.send_overhead + costs.latency);
      all_left.push_back(variable);
    }
    constraints_.require(all_left.back(), all_left.front(), Time{0}, 1);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t turns = i >= capacity ? 0 : (capacity - i + count - 1) / count;
      const std::int64_t before = i - capacity + turns * count;
      const std::uint32_t send = flights[static_cast<std::size_t>(i)];
      constraints_.require(all_left[static_cast<std::size_t>(before)], send,
                           -costs_[operations_[send]->subject].send_overhead,
                           static_cast<std::int32_t>(turns));
    }
  }

  [[nodiscard]] Time length(std::uint32_t i) const { return operations_[i]->end - operations_[i]->start; }
  [[nodiscard]] Time gap(std::uint32_t i) const {
    const MessageCosts& costs = costs_[operations_[i]->subject];
    return operations_[i]->kind == OperationKind::send ? costs.send_gap : costs.receive_gap;
  }

  const Schedule& schedule_;
  const std::vector<MessageCosts> costs_;
  PeriodicConstraints constraints_;
  std::vector<const Operation*> operations_;
  /// First variable of each processor, and one past the last.
  std::vector<std::uint32_t> first_;
};

/// Nothing when the times found exceed the network's capacity.
std::optional<Schedule> PeriodProblem::solve(bool with_capacity) {
  if (with_capacity) {
    add_capacity(Side::sender);
    add_capacity(Side::receiver);
  }
  Time busiest{0};
  for (const std::vector<Operation>& operations : schedule_.processors) {
    Time busy{0};
    for (const Operation& operation : operations) busy += operation.end - operation.start;
    busiest = std::max(busiest, busy);
  }
  const auto solution = constraints_.solve(busiest);
  if (!solution) return std::nullopt;

  Schedule result = schedule_;
  Traffic traffic(result.processors.size(), costs_);
  std::uint32_t variable = 0;
  for (std::vector<Operation>& operations : result.processors)
    for (Operation& operation : operations) {
      const Time start = solution->values[variable++];
      operation.end += start - operation.start;
      operation.start = start;
      if (operation.kind != OperationKind::send) continue;
      if (traffic.conflict(result, operation.message(), start)) return std::nullopt;
      traffic.add(result, operation.message(), start);
    }
  result.least_repetition = Time{0};
  const Time repetition = repetition_of(result, costs_, traffic);
  if (repetition > solution->period) return std::nullopt;
  if (repetition > measure(result).repetition) result.least_repetition = repetition;
  return result;
}

}  // namespace

Schedule with_smallest_period(const Machine& machine, const Schedule& schedule) {
  if (!schedule.hops.empty()) return schedule;
  PeriodProblem problem(machine, schedule);
  std::optional<Schedule> result = problem.solve(false);
  if (!result) result = problem.solve(true);
  const bool shorter = result && measure(*result).repetition < measure(schedule).repetition;
  return shorter ? *result : schedule;
}

Time smallest_period(const Machine& machine, const Schedule& schedule) {
  return measure(with_smallest_period(machine, schedule)).repetition;
}

}  // namespace takt::logp
