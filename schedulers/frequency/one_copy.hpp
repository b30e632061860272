#pragma once
/// The best schedule of one copy of the graph, one frame at a time: the first part of `optfo` and `exact_fo`.
///
/// It begins with the best of the given starts (the registry provides basic_fo, chains, greedy and single),
/// so that it is never worse, and stops when the period meets the lower bound (period_bounds.hpp,
/// cut_bounds.hpp, partition_bound.hpp, packing_bound.hpp, and assignment_bound.hpp for small graphs).
/// Otherwise
///
/// 1. it searches chains of processors (chain_search.hpp): topological orders by several priorities and at
///    random, each cut optimally, then improved by moving and swapping tasks between stages (late
///    acceptance), with data relayed from stage to stage or sent directly to its consumers, whichever is
///    cheaper; if the graph has few enough lower sets, it finds the best relay chain exactly;
/// 2. it calls all other schedulers without a proof, on graphs of a size for which they are fast
///    (Traits::optfo_limit), so that it is never worse than they are;
/// 3. it distributes whole components, the clusters of DSC and the processors of the best schedule so far,
///    then their tasks, and improves groups of strongly communicating tasks, a processor each
///    (group_search.hpp), with a sixth of its effort: single moves do not cross expensive messages;
/// 4. in graphs of up to some hundred tasks it moves tasks between the processors' sequences, also with
///    processors that wait for each other's results in cycles (sequence_search.hpp);
/// 5. for few tasks per processor, it fills chains stage by stage (chain_packing.hpp), and many in parallel,
///    guided by the bound's prices (chain_beam.hpp), with as much effort again and half of it (less for few
///    tasks and processors): this takes no effort from the other searches;
/// 6. in graphs of up to 32 tasks it searches all schedules, with four steps for each move of its effort
///    (if messages occupy no processor with a state and a half, 300,000 or three eighths of the effort at
///    most; exact_schedule.hpp), and in graphs of up to 1,024 tasks all relay chains, with three lower sets
///    per move (lower_set_search.hpp).
///
/// Chains become timetables with one message per link and with one per task and link, which fill gaps, and
/// with improved orders where gaps leave time unused (stage_sequence.hpp).

#include <cstdint>

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Default of optfo's Options::effort.
inline constexpr std::uint64_t optfo_effort = 750'000;

/// Returns the options for the other schedulers: without an effort of optfo's own, whose steps differ from
/// theirs; at most their default number of steps.
[[nodiscard]] Options options_of_others(const Options& options);

/// A schedule of one copy of the graph, and the best known bounds of the period: of schedules of one frame at
/// a time (exact_schedule.hpp), and of all.
struct OneCopy {
  Schedule schedule;
  Time bound{0};
  Time bound_of_all{0};
};

/// Returns the best schedule of one copy that the budget allows, and subtracts the steps from the budget.
/// Stops when a period meets the bound. The schedule has no name yet, and no bound. Requires at least one
/// start that is always computed.
[[nodiscard]] OneCopy search_one_copy(const TaskGraph& graph, const logp::Machine& machine,
                                      std::uint64_t& budget, const Options& options,
                                      const FrequencyStarts& starts);

}  // namespace takt::schedulers
