#include "schedulers/frequency/optfo.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "core/graphs/task_groups.hpp"
#include "schedulers/bounds/group_bounds.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/bounds/without_proofs.hpp"
#include "schedulers/frequency/best_schedule.hpp"
#include "schedulers/pipelining/pipelined_groups.hpp"
#include "schedulers/pipelining/pipelined_search.hpp"
#include "schedulers/replication/interleaving.hpp"
#include "schedulers/replication/replication.hpp"
#include "schedulers/task_chains/frame_stages.hpp"

namespace takt::schedulers {

namespace {

/// Up to this effort a proof takes some hundredths of a second and the results of both searches vary: optfo
/// also calls exact_fo.
constexpr std::uint64_t little_effort = 20'000;
/// For larger graphs that, and the same on fewer processors, takes seconds.
constexpr std::size_t most_brief_tasks = 128;
/// Smaller efforts that are tried, too, up to a tenth of the given one: 20,000, 200,000 and so on.
constexpr std::uint64_t least_asked_effort = 20'000, effort_step = 10, least_effort_ratio = 10;
/// With more pairs of a task and a processor, the smallest effort, which includes half of the processors,
/// takes half of the time of the default.
constexpr std::size_t most_asked_pairs = 512;
/// Longest chains for which frames that return to earlier processors may gain more than a little, and the
/// effort that remains for longer ones, whose messages occupy no processor, once their stages are found.
constexpr std::size_t most_searched_chain = 12;
constexpr std::uint64_t effort_of_solved = 2'000;

/// For moldable tasks, adds schedules with groups of processors, which the bounds and searches here exclude.
void add_in_groups(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                   std::span<const OtherScheduler> others, BestSchedule& best) {
  const Options for_others = options_of_others(options);
  for (const OtherScheduler& other : others) {
    if (!other.is_for(graph)) continue;
    Schedule schedule = other.schedule(graph, machine, for_others);
    if (runs_in_groups(graph, schedule)) best.add(std::move(schedule));
  }
  if (options.frames != FrameClass::pipelined) return;
  std::uint64_t budget = options.effort.value_or(optfo_effort) / 2;
  if (std::optional<Schedule> schedule = search_pipelined_groups(
          graph, machine, best.schedule(), group_bounds(graph, machine).period, budget, options.seed))
    best.add(*std::move(schedule));
}

/// Runs optfo on the first processors, a power of two of them, recursively: its searches then find other
/// schedules.
void add_fewer_processors(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                          const FrequencyStarts& starts, FrequencyProof exact, BestSchedule& best) {
  const std::size_t count = machine.processor_count();
  if (count < 3) return;
  std::vector<ProcessorId> first;
  for (std::size_t p = 0; p < std::bit_floor(count - 1); ++p) first.push_back(ProcessorId(p));
  Schedule schedule = optfo(graph, machine.subset(first), options_of_others(options), starts, exact);
  schedule.processors.resize(count);
  best.add(without_proofs(std::move(schedule)));
}

/// Runs optfo with the largest of a few smaller efforts, recursively: a longer search is better on average,
/// not always.
void add_less_effort(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                     const FrequencyStarts& starts, FrequencyProof exact, BestSchedule& best) {
  const std::uint64_t most = options.effort.value_or(optfo_effort) / least_effort_ratio;
  if (most < least_asked_effort || !machine.platform().network.empty() ||
      graph.task_count() * machine.processor_count() > most_asked_pairs)
    return;
  Options less = options_of_others(options);
  less.effort = least_asked_effort;
  while (*less.effort <= most / effort_step) *less.effort *= effort_step;
  best.add(without_proofs(optfo(graph, machine, less, starts, exact)));
}

}  // namespace

bool is_brief(const TaskGraph& graph, const Options& options) {
  return options.effort.value_or(optfo_effort) <= little_effort && graph.task_count() <= most_brief_tasks;
}

Schedule optfo(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
               const FrequencyStarts& starts, FrequencyProof exact) {
  const std::uint64_t effort = options.effort.value_or(optfo_effort);
  const bool is_pipelined = options.frames == FrameClass::pipelined;
  // Orders rarely lead to shorter periods than balanced loads: half of the effort finds those that do.
  const std::uint64_t for_orders = is_pipelined && !is_brief(graph, options) ? effort / 2 : effort;
  std::uint64_t budget = for_orders;
  const bool has_copies = options.frames != FrameClass::one_at_a_time && can_replicate(graph, machine);
  const Period least = has_copies ? PeriodBounds(graph, machine).best().period : Period{};
  const auto meets_bound = [&](const Schedule& schedule) {
    return measure(schedule).exact_period() <= least;
  };
  std::vector<Schedule> in_frames = frame_stages(graph, machine, least, options.cost_noise);
  if (options.frames == FrameClass::one_at_a_time)
    std::erase_if(in_frames, [](const Schedule& schedule) { return schedule.replicas > 1; });
  for (const Schedule& schedule : in_frames) options.tell(schedule);
  bool is_met = has_copies && std::ranges::any_of(in_frames, meets_bound);
  // Nothing that goes one way along a chain repeats sooner, and moves would hardly find anything.
  const bool is_solved = has_copies && !in_frames.empty() && graph.task_count() > most_searched_chain &&
                         is_chain(graph) && messages_occupy_no_processor(machine);
  if (has_copies && !is_met && !is_solved) {
    const auto add = [&](std::vector<Schedule> replicated) {
      is_met = is_met || std::ranges::any_of(replicated, meets_bound);
      for (const Schedule& schedule : replicated) options.tell(schedule);
      std::ranges::move(replicated, std::back_inserter(in_frames));
    };
    add(replicate(graph, machine, least, budget, options.seed));
    if (!is_met && options.cost_noise == 0) {
      // In addition to the budget, so that no other search finds less.
      std::uint64_t for_each = effort / 8;
      add(replicate_each(graph, machine, least, for_each, options.seed));
    }
    // Copies do not reduce the effort for one copy, which may have the best schedule.
    if (!is_met) budget = std::max(budget, for_orders / 2);
  }
  if (is_met) budget = 0;
  if (is_solved) budget = std::min(budget, effort_of_solved);
  FrequencyStarts for_one_copy = starts;
  if (is_met || is_solved) for_one_copy.others = {};
  OneCopy one_copy = search_one_copy(graph, machine, budget, options, for_one_copy);
  BestSchedule best(std::move(one_copy.schedule), options);
  for (Schedule& schedule : in_frames) best.add(std::move(schedule));
  if (!is_met && has_copies && options.may_interleave && can_interleave(graph, machine)) {
    // In addition to the budget, so that no other search finds less.
    std::uint64_t for_interleaving = is_solved ? effort_of_solved : effort / 2;
    if (std::optional<Schedule> schedule = interleave(graph, machine, best.metrics().exact_period(), least,
                                                      for_interleaving, options.seed, options.cost_noise))
      best.add(*std::move(schedule));
  }
  const auto is_above = [&](const Period& bound) {
    return !is_solved && best.metrics().exact_period() > bound;
  };
  const Period bound_of_one{is_pipelined ? one_copy.bound_of_all : one_copy.bound, 1};
  const Period bound = has_copies ? least : bound_of_one;
  if (is_pipelined && best.metrics().exact_period() > bound) {
    // In addition to the budget, so that no other search finds less.
    std::uint64_t for_pipelining = effort;
    if (std::optional<Schedule> schedule =
            search_pipelined(graph, machine, best.schedule(), bound, for_pipelining, options.seed))
      best.add(*std::move(schedule));
  }
  if (is_brief(graph, options)) {
    if (is_above(bound_of_one))
      best.add(without_proofs(exact(graph, machine, options_of_others(options), starts)));
    if (is_above(bound)) add_fewer_processors(graph, machine, options, starts, exact, best);
  }
  if (is_above(bound)) add_less_effort(graph, machine, options, starts, exact, best);
  if (graph.is_moldable() && machine.platform().network.empty())
    add_in_groups(graph, machine, options, starts.others, best);
  Schedule schedule = std::move(best).take();
  schedule.scheduler = "optfo";
  // The bounds here are for tasks on one processor each.
  if (graph.is_moldable()) return schedule;
  schedule.period_bound.reset();
  if (!can_replicate(graph, machine)) raise_period_bound(schedule, {one_copy.bound_of_all, 1});
  if (!has_copies && !is_pipelined) raise_period_bound(schedule, {one_copy.bound, 1}, one_frame_at_a_time);
  add_period_bound(graph, machine, schedule);
  const bool is_of_one = schedule.replicas == 1 && !schedule.repetition;
  if (!schedule.optimal && !has_copies && is_of_one &&
      measure(schedule).exact_period() <= Period{one_copy.bound, 1})
    schedule.optimal_among = one_frame_at_a_time;
  return schedule;
}

}  // namespace takt::schedulers
