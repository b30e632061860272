#pragma once
/// `optfo`: the highest frequency that a search finds; the default scheduler of pipelines.
///
/// It begins with the best of the schedules that it is given as starts (the registry gives basic_fo, chains,
/// greedy and single), so that it is never below them, and stops as soon as the lower bound of the period
/// (period_bounds.hpp, cut_bounds.hpp, partition_bound.hpp, packing_bound.hpp, and assignment_bound.hpp for
/// small graphs) is met. Otherwise
///
/// 1. it searches chains of processors (chain_search.hpp): topological orders by several priorities and at
///    random, each cut optimally, then improved by moving and swapping tasks between stages (late
///    acceptance), with data relayed from stage to stage or sent straight to where they are needed, whichever
///    is cheaper; and, where the graph's lower sets are few enough, it finds the best relay chain exactly;
/// 2. it asks all other schedulers that search for no proof, on graphs of a size that they are quick on
///    (Traits::optfo_limit), so that it is never behind them, either;
/// 3. it shares out whole components, the clusters of DSC and the processors of the best schedule so far,
///    then their tasks, and improves groups of tasks that say much to each other, a processor each
///    (group_search.hpp), with a sixth of its effort: single moves do not get over heavy messages;
/// 4. in graphs of up to some hundred tasks it moves tasks between the processors' sequences also where
///    processors wait for each other's results in turn (sequence_search.hpp);
/// 5. where processors have a few tasks each, it fills chains stage by stage (chain_packing.hpp), and many at
///    once, guided by the bound's prices (chain_beam.hpp), with as much effort again and half of it (less
///    where tasks and processors are few): what was found before is found still;
/// 6. of graphs of up to 32 tasks it looks for the best schedule of all, with four steps for each move of its
///    effort (where messages occupy nobody with a state and a half, 300,000 or three eighths of the effort at
///    most; exact_schedule.hpp), and of up to 1,024 tasks for the best relay chain of all, with three
///    lower sets for a move (lower_set_search.hpp).
///
/// Before all that it cuts the topological order into stages that share stateless tasks by frames
/// (frame_stages.hpp), so that it is not behind otac, fertac, twocatac and herad. Of a chain of more than 12
/// tasks whose messages occupy nobody and some of whose tasks are stateless, these are the best of all
/// schedules whose data go one way, and a search of 2,000 moves is all that follows.
///
/// Where some tasks are stateless it replicates them first (replication.hpp), each number of replicas with an
/// eighth of its effort again where tasks are few; where that leaves the bound and the graph is small, frames
/// go back and forth between processors, too (interleaving.hpp), with half of its effort again.
///
/// With an effort of up to 20,000, and up to 128 tasks, it asks exact_fo with as much, so that it is not
/// behind that either, and itself on half of the processors
/// (docs/decisions/0123-search-effort.md). With 200,000 or more it asks itself with less: with
/// 20,000, 200,000 and so on, a tenth of the effort at most, where tasks times processors are up to 512
/// (docs/decisions/0123-search-effort.md).
///
/// Chains become timetables with one message a link and with one for each task and link, which fill gaps, and
/// with orders that are improved where gaps leave time over (stage_sequence.hpp).
///
/// Options::effort counts tried moves and looked-at lower sets; some tenths of a second to two seconds by
/// default. The same seed gives the same schedule on every machine. Ties by fewer processors, then by shorter
/// makespan.

#include <cstdint>

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Options::effort unless it is given.
inline constexpr std::uint64_t optfo_effort = 750'000;

/// For the others that are asked: the same, but steps of optfo are none of theirs, so that they take no more
/// than their own number of them.
[[nodiscard]] Options options_of_others(const Options& options);

/// Whether the effort is so little that what a search finds is chance: exact_fo is asked with as much, and
/// so are fewer processors.
[[nodiscard]] bool is_brief(const TaskGraph& graph, const Options& options);

/// A schedule of one copy of the graph, and the best bounds known of the period of those: of schedules of one
/// frame at a time (exact_schedule.hpp), and of all.
struct OneCopy {
  Schedule schedule;
  Time bound{0};
  Time bound_of_all{0};
};

/// The search: the best schedule of one copy that the budget allows. Lowers the budget by what it takes;
/// stops when a period is not above the bound. The schedule has no name yet, and no bound. At least one
/// start without a bound.
[[nodiscard]] OneCopy search_one_copy(const TaskGraph& graph, const logp::Machine& machine,
                                      std::uint64_t& budget, const Options& options,
                                      const FrequencyStarts& starts);

/// A scheduler that searches for a proof, as exact_fo does, which begins with what is found here.
using FrequencyProof = Schedule (*)(const TaskGraph& graph, const logp::Machine& machine,
                                    const Options& options, const FrequencyStarts& starts);

[[nodiscard]] Schedule optfo(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                             const FrequencyStarts& starts, FrequencyProof exact);

}  // namespace takt::schedulers
