#pragma once
/// Search for forks, joins, fork-joins and tasks without edges on equal processors, where the allocation is
/// the only decision.

#include <cstdint>
#include <optional>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

struct ForkJoinSearch {
  /// The shortest schedule found, if it is shorter than the known one.
  std::optional<Timetable> timetable;
  /// No schedule is shorter than this.
  Time bound{0};
};

/// Searches for the shortest schedule between a bound and the length of a known schedule. Returns
/// nothing if the graph has none of these forms, or the processors differ.
///
/// * The search bisects the limit. Under a limit each task in the middle has a head (arrival of its
///   data) and a tail (transfer of its result); on the processor of the first or the last task it
///   has none. The two ends are on one processor or on two; every other processor is a one-machine
///   problem with heads and tails (one_machine.hpp).
/// * Tasks are placed longest first: a task opens another processor, which is then filled with later
///   tasks in every way that fits, or it joins the first or the last task. If the ends share a
///   processor, of two tasks of equal work the one with smaller head and tail is elsewhere if the
///   other one is (exchange).
/// * Bound: the remaining work, compared with what the processors could do with preemption, each
///   task between its head and its tail (cut_jobs.hpp), reduced to sums of whole tasks
///   (subset_sums.hpp).
/// * `effort`: steps for each limit. Exponential; O(n log n) time a step, plus the one-machine
///   problems and O(n b / 64) for sums of b bits.
[[nodiscard]] std::optional<ForkJoinSearch> search_fork_join(const DelayModel& model, Time bound, Time length,
                                                             std::uint64_t effort);

}  // namespace takt::schedulers
