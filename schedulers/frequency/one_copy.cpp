#include "schedulers/frequency/one_copy.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/graphs/task_groups.hpp"
#include "core/system/free_memory.hpp"
#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "schedulers/bounds/assignment_bound.hpp"
#include "schedulers/bounds/configuration_bound.hpp"
#include "schedulers/bounds/cut_bounds.hpp"
#include "schedulers/bounds/packing_bound.hpp"
#include "schedulers/bounds/partition_bound.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/bounds/share_bound.hpp"
#include "schedulers/clustering/dsc.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/exact/exact_schedule.hpp"
#include "schedulers/exact/exact_sequences.hpp"
#include "schedulers/frequency/best_schedule.hpp"
#include "schedulers/frequency/other_loads.hpp"
#include "schedulers/relay/chain_beam.hpp"
#include "schedulers/relay/chain_packing.hpp"
#include "schedulers/relay/chain_search.hpp"
#include "schedulers/relay/even_stages.hpp"
#include "schedulers/relay/group_search.hpp"
#include "schedulers/relay/lower_set_search.hpp"
#include "schedulers/sequences/arrangement.hpp"
#include "schedulers/sequences/sequence_search.hpp"

namespace takt::schedulers {

namespace {

/// Largest number of stages for which routes of the data are searched.
constexpr std::size_t most_routed_stages = 16;
constexpr std::size_t most_routed_edges = 2'000;
/// Largest graphs whose schedules can all be searched with a part of the budget.
constexpr std::size_t most_exact_items = 20;
/// A step takes a hundredth of the time of a move.
constexpr std::uint64_t exact_steps_per_move = 4;
/// Largest graphs with a search over all schedules of at most some tenths of a second, after the search of
/// relay chains.
constexpr std::size_t most_proven_items = 32;
/// Largest graphs with a search of relay chains, within the limit of lower sets: in larger graphs it would
/// complete hardly any chain.
constexpr std::size_t most_relayed_items = 1'024;
/// Lower sets per move in graphs of up to some tasks; in larger ones fewer, as each takes longer: a third of
/// a second in all.
constexpr std::uint64_t lower_sets_per_move = 3, items_of_short_sets = 32;
/// With different processors each lower set is reached in many ways, by the processors used: the number of
/// lower sets is divided by the number of classes, and by processors over this value.
constexpr std::uint64_t processors_per_lower_set_less = 4;
/// Largest effort for filling chains per pair of a task and a processor: with few pairs there are few ways to
/// fill a stage.
constexpr std::uint64_t filling_moves_per_pair = 150;
/// Examined for a better bound.
constexpr std::uint64_t most_assignments = 100'000;
constexpr std::uint64_t most_part_steps = 3'000'000;

/// Saturating product, as the effort may be unlimited.
std::uint64_t times(std::uint64_t effort, std::uint64_t steps) {
  return effort > std::numeric_limits<std::uint64_t>::max() / steps ? effort : effort * steps;
}

/// Limit of steps of the search over all schedules. For messages that occupy no processor these are states,
/// each as long as ten moves: three for two moves up to a second and a half, then a quarter of that. A third
/// of them is for packings (exact_schedule.cpp).
std::uint64_t exact_steps(const Workload& workload, std::uint64_t effort) {
  if (!can_search_sequences(workload)) return times(effort, exact_steps_per_move);
  constexpr std::uint64_t states_of_a_second = 200'000;
  const std::uint64_t states = std::max(effort / 4, std::min(effort, states_of_a_second));
  return times(states, 3) / 2;
}

std::uint64_t lower_sets_of(const Workload& workload, std::uint64_t effort) {
  const std::uint64_t classes = workload.class_count();
  const std::uint64_t processors = classes == 1 ? 1 : workload.machine().processor_count();
  const std::uint64_t items = std::max<std::uint64_t>(workload.item_count(), items_of_short_sets);
  return times(effort, lower_sets_per_move) / std::max<std::uint64_t>(1, items / items_of_short_sets) /
         std::max<std::uint64_t>(classes, processors / processors_per_lower_set_less);
}

/// Starts that are only computed if they may be better come last.
BestSchedule best_start(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                        std::span<const FrequencyStart> starts) {
  std::optional<BestSchedule> best;
  for (const FrequencyStart& start : starts) {
    if (start.least_repetition != nullptr) continue;
    Schedule schedule = start.schedule(graph, machine, options);
    if (best)
      best->add(std::move(schedule));
    else
      best.emplace(std::move(schedule), options);
  }
  for (const FrequencyStart& start : starts)
    if (start.least_repetition != nullptr &&
        start.least_repetition(graph, machine) <= best->metrics().repetition)
      best->add(start.schedule(graph, machine, options));
  return *std::move(best);
}

/// Small messages may fill gaps that large ones leave, and so may other orders.
void add_chain(const Workload& workload, const Stages& stages, const ChainRoutes& routes,
               BestSchedule& best) {
  if (load_of(workload, stages, routes) > best.metrics().repetition) return;
  Schedule joined = make_schedule(workload, stages, routes);
  if (workload.machine().communication_is_free()) return best.add(std::move(joined));
  const Time joined_repetition = measure(joined).repetition;
  best.add(std::move(joined));
  Schedule single = make_schedule(workload, stages, routes, Joining::of_item);
  const bool is_joined = joined_repetition <= measure(single).repetition;
  best.add(std::move(single));
  best.add(make_schedule(workload, stages, routes, is_joined ? Joining::all : Joining::of_item,
                         Sequencing::improved));
}

void add_chains(const Workload& workload, const std::vector<Chain>& chains, BestSchedule& best) {
  const bool messages_cost = !workload.machine().communication_is_free();
  for (const Chain& chain : chains) {
    add_chain(workload, chain.stages, chain.routes, best);
    if (!messages_cost || chain.stages.chain.size() > most_routed_stages ||
        workload.items().edge_count() > most_routed_edges)
      continue;
    // A smaller load need not be a shorter period: more messages have more gaps.
    ChainRoutes routes = chain.routes;
    improve_routes(workload, chain.stages, routes);
    add_chain(workload, chain.stages, routes, best);
  }
}

/// Improves the best schedule's sequences, with messages directly to their consumers.
void add_sequences(const Workload& workload, Time bound, std::uint64_t& budget, std::uint64_t seed,
                   BestSchedule& best) {
  SearchRandom random(seed);
  const logp::Allocation allocation =
      improve_sequences(workload, allocation_of(best.schedule()), bound, budget, random);
  const TaskGraph& graph = workload.items();
  const logp::Machine& machine = workload.machine();
  for (bool aggregate : {true, false})
    best.add(logp::with_least_repetition(
        machine, logp::time_task_messages(graph, machine, allocation, {.aggregate = aggregate})));
}

/// Time of the operations of the busiest processor. Their order does not change it, so a schedule of another
/// scheduler with a larger value need not be timed again.
Time busiest(const ScheduleMetrics& metrics) {
  Time most{0};
  for (const Occupancy& occupancy : metrics.occupancy)
    most = std::max(most, occupancy.compute + occupancy.overhead);
  return most;
}

/// Number of tasks from which the memory of the messages of rejected schedules matters.
constexpr std::size_t many_decided_tasks = 100'000;

/// Calls all other schedulers without a proof, as each may be better in some case.
void add_others(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                std::span<const OtherScheduler> others, Time bound, BestSchedule& best) {
  const Options for_others = options_of_others(options);
  for (const OtherScheduler& other : others) {
    if (!other.is_for(graph)) continue;
    if (best.metrics().repetition <= bound) return;
    if (graph.task_count() < many_decided_tasks ||
        !has_as_much_work(other, graph, machine, for_others, best.metrics().repetition)) {
      Schedule schedule = other.schedule(graph, machine, for_others);
      // The following steps are for tasks on one processor each.
      if (runs_in_groups(graph, schedule)) continue;
      if (busiest(measure(schedule)) < best.metrics().repetition)
        best.add(logp::with_least_repetition(machine, std::move(schedule)));
    }
    give_back_free_memory(graph.task_count());
  }
}

/// With very many tasks, groups with nearly as many edges need the same memory again, and moving each of them
/// takes most of the budget.
double share_of_groups(const TaskGraph& graph) {
  return graph.task_count() < many_decided_tasks ? 1 : 0.5;
}

/// Starts from the components of the graph, the clusters of DSC, and the processors of the best schedule.
void add_groups(const Workload& workload, Time bound, std::uint64_t& budget, const Options& options,
                BestSchedule& best) {
  const TaskGraph& graph = workload.items();
  const auto numbers = [](const std::vector<ProcessorId>& parts) {
    std::vector<std::uint32_t> part_of;
    for (ProcessorId part : parts) part_of.push_back(static_cast<std::uint32_t>(part.index()));
    return part_of;
  };
  std::vector<Groups> groupings;
  std::vector<Stages> starts;
  const auto add = [&](Groups groups) {
    if (groups.count() > 1 && groups.count() < graph.task_count()) groupings.push_back(std::move(groups));
  };
  add(groups_of_components(graph));
  if (!workload.machine().communication_is_free()) {
    const Clustering clusters = dsc(DelayModel(graph, workload.machine()), Options{});
    const auto add_parts = [&](const std::vector<ProcessorId>& parts) {
      if (std::optional<Groups> groups = few_groups_of_parts(graph, numbers(parts), share_of_groups(graph)))
        add(*std::move(groups));
    };
    add_parts(clusters.timetable.processor);
    add_parts(allocation_of(best.schedule()).processor_of(graph));
    starts = merged_stages(workload);
  }
  if (groupings.empty() && starts.empty()) return;
  for (const Chain& chain :
       search_groups(workload, std::move(groupings), std::move(starts), bound, budget, options.seed))
    add_chain(workload, chain.stages, chain.routes, best);
}

/// With expensive messages: starts from even shares of the work on all processors.
void add_even_shares(const Workload& workload, Time bound, std::uint64_t budget, std::uint64_t seed,
                     BestSchedule& best) {
  if (workload.machine().communication_is_free()) return;
  for (const Chain& chain : improve_chains(workload, even_stages(workload), bound, budget, seed))
    add_chain(workload, chain.stages, chain.routes, best);
}

/// Searches all schedules, as far as the budget lasts: queries the bound first, then bisects. An undecided
/// query may spend half of the remaining budget, for longer periods are easier. The least period that is not
/// excluded is sometimes easier, too, as fewer schedules meet it, so it is the last query. Raises the bound
/// after each `no`.
void add_exact(const Workload& workload, Time& bound, std::uint64_t budget, BestSchedule& best) {
  const auto ask = [&](Time period) {
    ScheduleAnswer answer = find_any_schedule(workload, period, budget - budget / 2);
    budget -= std::min(budget, answer.steps);
    if (answer.schedule) best.add(std::move(*answer.schedule));
    if (answer.verdict == Verdict::no) bound = period + Time{1};
  };
  const Time first = bound;
  Time asked = bound;
  for (Time next = bound; budget > 0 && asked < best.metrics().repetition;
       next = asked + (best.metrics().repetition - asked) / 2) {
    ask(next);
    // The schedule found may have a larger period because of capacity.
    if (best.metrics().repetition > next) asked = next + Time{1};
  }
  if (budget > 0 && first < bound && bound < best.metrics().repetition) ask(bound);
}

/// Adds the best relay chain that `lower_sets` allow to find; such chains are often the best schedules, and
/// local search may miss them by a tick or two.
void add_relays(const Workload& workload, Time bound, std::uint64_t lower_sets, BestSchedule& best) {
  for (Time next = bound; bound < best.metrics().repetition;
       next = bound + (best.metrics().repetition - bound) / 2) {
    const LowerSetAnswer answer = find_relay_chain(
        workload, next, static_cast<std::size_t>(std::min(lower_sets, most_lower_sets(workload))));
    lower_sets -= std::min<std::uint64_t>(lower_sets, answer.lower_sets);
    if (answer.verdict == Verdict::unknown) return;
    if (answer.stages)
      best.add(
          make_schedule(workload, *answer.stages, ChainRoutes(answer.stages->chain.size(), Routing::relay)));
    // Gaps can make the period longer than the loads of the chain.
    if (answer.verdict == Verdict::no || best.metrics().repetition > next) bound = next + Time{1};
  }
}

}  // namespace

Options options_of_others(const Options& options) {
  Options result = options;
  result.trace = nullptr;
  result.listener = nullptr;
  if (options.effort.value_or(optfo_effort) >= optfo_effort) result.effort.reset();
  return result;
}

OneCopy search_one_copy(const TaskGraph& graph, const logp::Machine& machine, std::uint64_t& budget,
                        const Options& options, const FrequencyStarts& starts) {
  const std::uint64_t whole_budget = budget;
  BestSchedule best = best_start(graph, machine, options, starts.starts);
  Time bound = PeriodBounds(graph, machine, 1).best().period.time_of(1);
  Time bound_of_all = bound;
  if (best.metrics().repetition > bound) {
    const Workload workload(graph, machine);
    bound = std::max({bound, task_cut_bound(workload), spread_bound(workload), partition_bound(workload),
                      share_bound(workload)});
    // A fixed share for the bounds, whatever the caller leaves of the effort.
    const double share = static_cast<double>(options.effort.value_or(optfo_effort)) / optfo_effort;
    const double effort = whole_budget == 0 ? 0 : std::min(1.0, share);
    const PackingBound packing = packing_bound(workload, bound, best.metrics().repetition, effort);
    bound = packing.period;
    auto for_bound = static_cast<std::uint64_t>(effort * static_cast<double>(most_assignments));
    bound = assignment_bound(workload, bound, best.metrics().repetition, for_bound);

    const bool is_small = workload.item_count() <= most_exact_items && can_search_schedules(workload);
    const std::uint64_t for_exact = is_small ? budget / 4 : 0;
    budget -= for_exact;
    const std::uint64_t for_sequences = can_improve_sequences(workload) ? budget / 2 : 0;
    budget -= for_sequences;
    const std::uint64_t for_groups = budget / 3;
    budget -= for_groups;
    add_chains(workload, search_chains(workload, bound, budget, options.seed).chains, best);
    budget += for_groups;
    // On links the other schedulers run after the schedules found here are on links, too.
    give_back_free_memory(graph.task_count());
    if (machine.platform().network.empty()) add_others(graph, machine, options, starts.others, bound, best);
    give_back_free_memory(graph.task_count());
    if (best.metrics().repetition > bound) add_groups(workload, bound, budget, options, best);
    give_back_free_memory(graph.task_count());
    // In addition to the budget: the other searches keep their share.
    if (best.metrics().repetition > bound) add_even_shares(workload, bound, whole_budget, options.seed, best);
    budget += for_sequences;
    if (for_sequences > 0 && best.metrics().repetition > bound)
      add_sequences(workload, bound, budget, options.seed, best);
    if (best.metrics().repetition > bound) {
      // In addition to the budget, so that no other search finds less.
      const std::uint64_t for_filling = std::min<std::uint64_t>(
          whole_budget, filling_moves_per_pair * workload.item_count() * machine.processor_count());
      std::uint64_t for_packing = for_filling;
      add_chains(workload, pack_chains(workload, bound, best.metrics().repetition, for_packing, options.seed),
                 best);
      std::uint64_t for_beams = for_filling / 2;
      add_chains(workload,
                 search_chain_beams(workload, packing.prices, bound, best.metrics().repetition, for_beams,
                                    options.seed),
                 best);
    }
    // At the end, so that the schedules found do not depend on the proof.
    if (best.metrics().repetition > bound)
      bound = configuration_bound(workload, bound, best.metrics().repetition,
                                  static_cast<std::uint64_t>(effort * static_cast<double>(most_part_steps)));
    bound_of_all = bound;
    // In addition to the budget, so that no other search finds less.
    const bool is_soon = workload.item_count() <= most_proven_items && can_search_schedules(workload);
    const std::uint64_t steps = is_soon ? exact_steps(workload, whole_budget) : 0;
    if (is_small) add_exact(workload, bound, steps, best);
    if (workload.item_count() <= most_relayed_items)
      add_relays(workload, bound, lower_sets_of(workload, whole_budget), best);
    if (!is_small) add_exact(workload, bound, steps, best);
    budget += for_exact;
  }
  OneCopy found{std::move(best).take(), bound, bound_of_all};
  found.schedule.period_bound.reset();
  found.schedule.period_bound_among.clear();
  found.schedule.optimal = false;
  return found;
}

}  // namespace takt::schedulers
