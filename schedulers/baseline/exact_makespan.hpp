#pragma once
/// Exact makespan by branch and bound, for small graphs: it certifies what the heuristics find.
///
/// * Search: depth first over partial schedules, to which ready tasks are appended in the order of their
///   starts, so that every schedule is met once. Of processors that are alike and empty only the first is
///   tried, of tasks that are alike only the first. Where processors are alike, half of the budget goes to a
///   search from the end of time backwards, if that from its beginning has proven nothing. Forks and joins
///   have a search of their own (exact_fork.hpp).
/// * Bounds: the earliest ends of the unplaced tasks plus their levels; the work that is left, spread over
///   all processors from when each can start some of it. The first upper bound is the best of the
///   schedules that it begins with (`starts`).
/// * Budget: `effort` partial schedules, 10^8 / (n P) unless given; none for more than 256 tasks. When it is
///   used up the best schedule so far stands, without a proof.
/// * What is proven is proven under the delay model. Where that is not the machine (messages occupy
///   processors or share links), the schedule carries no bound.
/// * Ties: the first of the shortest schedules that the search meets, steps in the order of start, falling
///   static level, task id, processor id.
/// * Complexity: exponential; O((n + m) P) time a partial schedule, O(n (n + P)) memory.

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

/// The shortest schedule under the delay model, or the best that the budget allows.
[[nodiscard]] ExactMakespan exact_makespan(const DelayModel& model, const Options& options,
                                           std::span<const MakespanStart> starts);
[[nodiscard]] Schedule exact_makespan(const TaskGraph& graph, const logp::Machine& machine,
                                      const Options& options, std::span<const MakespanStart> starts);

}  // namespace takt::schedulers
