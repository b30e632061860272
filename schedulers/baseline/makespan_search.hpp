#pragma once
/// Branch and bound over partial schedules under the delay model.
///
/// * Depth first: ready tasks are appended in the order of their starts, so each schedule is visited
///   once. Of equal empty processors only the first is tried, of equal tasks only the first. Of tasks
///   without children, of equal duration and with the same possible place, the first in topological
///   order goes first if the other can run anywhere from then on: they can be exchanged, and no start
///   changes.
/// * A partial schedule is pruned if a visited one has the same tasks, the same distribution of the
///   tasks whose data is needed, no larger relevant end, start or sum of starts: all extensions of the
///   one are extensions of the other, no later. (The first shortest schedule with the least sum of
///   starts is never pruned, for the search would have met an earlier one.)
/// * Bounds: the earliest ends of the unplaced tasks, whose parents are here or elsewhere
///   (join_bounds.hpp), plus the least time after them. Below a length each task has a deadline: the
///   work due by any time, with the part of tasks that must have begun, is compared with the capacity of
///   the processors from their earliest starts. The remaining work is compared with the largest sums of
///   whole tasks that fit into each processor's rest (subset_sums.hpp), less the least tails, as no two
///   processors end with the same task.
/// * Ties: the first of the shortest schedules that the search meets, steps in the order of start,
///   falling level, task id, processor id.

#include <cstdint>
#include <optional>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

/// Returns a length below which there is no schedule. O(m log m + n P).
[[nodiscard]] Time makespan_bound(const DelayModel& model);

struct MakespanSearch {
  /// The shortest schedule below the limit, if one was found.
  std::optional<Timetable> timetable;
  /// Whether the search was complete, so that none is shorter than `timetable`, or than the limit.
  bool is_complete = false;
};

/// Searches for schedules shorter than `limit` until none exists or `effort` is spent; each partial schedule
/// costs one step. Exponential; O((n + m) P) time a partial schedule, and at most 64 MB of memory for visited
/// ones.
[[nodiscard]] MakespanSearch search_makespan(const DelayModel& model, Time limit, std::uint64_t& effort);

}  // namespace takt::schedulers
