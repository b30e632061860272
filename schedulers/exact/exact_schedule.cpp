#include "schedulers/exact/exact_schedule.hpp"

#include <algorithm>

#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "schedulers/exact/exact_messages.hpp"
#include "schedulers/exact/exact_sequences.hpp"

namespace takt::schedulers {

namespace {

/// What one question may look at, so that its memory stays within some hundred megabytes.
constexpr std::uint64_t most_states = 5'000'000;

}  // namespace

bool can_search_schedules(const Workload& workload) {
  return can_search_sequences(workload) || can_search_messages(workload);
}

ScheduleAnswer find_any_schedule(const Workload& workload, Time period, std::uint64_t limit) {
  const logp::Machine& machine = workload.machine();
  ScheduleAnswer result;
  if (can_search_sequences(workload)) {
    const SequenceAnswer answer =
        find_sequences(workload, period, static_cast<std::size_t>(std::min(limit, most_states)));
    result.verdict = answer.verdict;
    result.steps = answer.states;
    if (answer.allocation)
      result.schedule = logp::with_least_repetition(
          machine,
          logp::time_task_messages(workload.original(), machine, *answer.allocation, {.aggregate = false}));
  } else {
    std::uint64_t rest = limit;
    const MessageAnswer answer = find_schedule(workload, period, rest);
    result.verdict = answer.verdict;
    result.steps = limit - rest;
    if (answer.schedule) result.schedule = logp::with_least_repetition(machine, *answer.schedule);
  }
  return result;
}

}  // namespace takt::schedulers
