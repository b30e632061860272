#pragma once
/// Exact makespan by branch and bound, for small graphs: it certifies what the heuristics find.
///
/// * Search: branch and bound over partial schedules (makespan_search.hpp), from the best of the schedules it
///   is given (`starts`), improved by moving tasks (placement/delay_search.hpp). Where processors are alike,
///   also from the end of time backwards; and, for up to 64 tasks, over allocations (allocation_search.hpp),
///   forwards and backwards. Each has a sixteenth of its steps first, so that what is easy for one of them
///   does not wait for the others. Forks and joins have a search of their own (exact_fork.hpp), and these,
///   forks that are joined again and tasks without edges one by who does what under a limit
///   (fork_join_search.hpp); of the other searches these graphs have the first sixteenth.
/// * Bound: what is left of the budget, a quarter at least, goes to searches for schedules shorter than the
///   middle between bound and length, again and again: where there is none, that is the bound.
/// * Budget: `effort` partial schedules, 4 * 10^8 / (n P) unless given, and for each direction a twentieth of
///   that for each processor up to the eighth over allocations; none for more than 256 tasks. That is some
///   seconds at most. When it is used up the best schedule so far stands, without a proof, beside the best
///   bound.
/// * What is proven is proven under the delay model. Where that is not the machine (messages occupy
///   processors or share links), the schedule carries no bound.
/// * Ties: as makespan_search.hpp.
/// * Complexity: exponential; O((n + m) P) time a partial schedule, O(n (n + P)) memory and 64 MB at most for
///   partial schedules that were met.

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

/// Who is told of each timetable that is shorter than those before.
using TimetableListener = std::function<void(const Timetable&)>;

/// The shortest schedule under the delay model, or the best that the budget allows.
[[nodiscard]] ExactMakespan exact_makespan(const DelayModel& model, const Options& options,
                                           std::span<const MakespanStart> starts,
                                           const TimetableListener& tell = {});
[[nodiscard]] Schedule exact_makespan(const TaskGraph& graph, const logp::Machine& machine,
                                      const Options& options, std::span<const MakespanStart> starts);

}  // namespace takt::schedulers
