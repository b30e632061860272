#include "schedulers/exact/exact_schedule.hpp"

#include <algorithm>

#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "schedulers/exact/exact_messages.hpp"
#include "schedulers/exact/exact_packings.hpp"
#include "schedulers/exact/exact_sequences.hpp"

namespace takt::schedulers {

namespace {

/// Limit of states per query, which keeps its memory within some hundred megabytes.
constexpr std::uint64_t most_states = 5'000'000;
/// Share of the steps for packings: with a period of little slack they need few, and otherwise sequences need
/// the rest.
constexpr std::uint64_t packing_share = 12;
/// Steps of packings that take as long as a state.
constexpr std::uint64_t packing_steps_per_state = 25;

}  // namespace

bool can_search_schedules(const Workload& workload) {
  return can_search_sequences(workload) || can_search_messages(workload);
}

ScheduleAnswer find_any_schedule(const Workload& workload, Time period, std::uint64_t limit) {
  const logp::Machine& machine = workload.machine();
  ScheduleAnswer result;
  const auto take = [&](Verdict verdict, const std::optional<logp::Allocation>& allocation) {
    result.verdict = verdict;
    if (allocation)
      result.schedule = logp::with_least_repetition(
          machine, logp::time_task_messages(workload.original(), machine, *allocation, {.aggregate = false}));
  };
  if (can_search_packings(workload)) {
    const std::uint64_t steps = std::min(limit / packing_share, most_states) * packing_steps_per_state;
    std::uint64_t rest = steps;
    const PackingAnswer answer = find_packing(workload, period, rest);
    result.steps = (steps - rest) / packing_steps_per_state;
    take(answer.verdict, answer.allocation);
    if (answer.verdict != Verdict::unknown) return result;
  }
  if (can_search_sequences(workload)) {
    const SequenceAnswer answer = find_sequences(
        workload, period, static_cast<std::size_t>(std::min(limit - result.steps, most_states)));
    result.steps += answer.states;
    take(answer.verdict, answer.allocation);
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
