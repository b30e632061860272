#pragma once
/// Exact makespan by branch and bound, for small graphs: certifies the schedules of the heuristics.
///
/// * Search: branch and bound over partial schedules (makespan_search.hpp), from the best of the given
///   `starts`, improved by moving tasks (placement/delay_search.hpp). With equal processors it also runs
///   backwards from the end of time and, for up to 64 tasks, over allocations (allocation_search.hpp) in
///   both directions. Each first receives a sixteenth of its steps, so that problems that are easy for one
///   search do not wait for the others. Forks and joins have a search of their own (exact_fork.hpp). These,
///   fork-joins and tasks without edges are also searched by allocation under a limit
///   (fork_join_search.hpp); of the other searches these graphs only use the first sixteenth.
/// * Bound: the rest of the budget, at least a quarter, is spent on schedules shorter than the middle
///   between bound and length, by bisection; a limit that no schedule meets is the new bound.
/// * Budget: `effort` partial schedules, by default 4 * 10^8 / (n P), a few seconds at most; over
///   allocations a twentieth of it for each direction and processor up to the eighth; none for more than
///   256 tasks. When it is spent, the result is the best schedule without a proof, together with the best
///   bound.
/// * Proofs hold under the delay model. On a machine of another model (messages occupy processors or share
///   links) the schedule carries no bound.
/// * Ties: as makespan_search.hpp.
/// * Complexity: exponential; O((n + m) P) time a partial schedule, O(n (n + P)) memory and at most 64 MB
///   for visited partial schedules.

#include <functional>
#include <span>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

struct ExactMakespan {
  Timetable timetable;
  /// No schedule is shorter than this.
  Time bound{0};
  [[nodiscard]] bool proven() const { return timetable.length() == bound; }
};

/// Callback that receives each timetable that is shorter than all earlier ones.
using TimetableListener = std::function<void(const Timetable&)>;

/// Returns the shortest schedule under the delay model, or the best that the budget allows.
[[nodiscard]] ExactMakespan exact_makespan(const DelayModel& model, const Options& options,
                                           std::span<const MakespanStart> starts,
                                           const TimetableListener& tell = {});
[[nodiscard]] Schedule exact_makespan(const TaskGraph& graph, const logp::Machine& machine,
                                      const Options& options, std::span<const MakespanStart> starts);

}  // namespace takt::schedulers
