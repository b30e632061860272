#pragma once
/// Branch and bound over partial schedules under the delay model.
///
/// * Depth first: ready tasks are appended in the order of their starts, so that every schedule is met once.
///   Of processors that are alike and empty only the first is tried, of tasks that are alike only the first.
///   Of tasks without children that take equally long and could have the same place, the first in topological
///   order goes first, where the other one may be anywhere from then on: they can change places, and no start
///   that a place has changes.
/// * A partial schedule is left where another one was met with the same tasks, those that unplaced tasks need
///   equally together, and no end that matters later, no start nor sum of starts larger: what follows from
///   the one can follow from the other, no later. (Of the shortest schedules with the least sum of starts the
///   first one that the search would meet is never left so, for then it would have met one before.)
/// * Bounds: the earliest ends of the unplaced tasks, whose parents are here or elsewhere (join_bounds.hpp),
///   plus what must follow them, found likewise. Below a length each task has a deadline: what must be done
///   by any time, of tasks that must only be begun as well, against what the processors can do from when each
///   can start some of it. And the work that is left, against the largest sums of whole tasks' works that fit
///   into what each processor has left (subset_sums.hpp): less the least tails, for no two processors end
///   with the same task.
/// * Ties: the first of the shortest schedules that the search meets, steps in the order of start, falling
///   level, task id, processor id.

#include <cstdint>
#include <optional>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

/// No schedule is shorter. O(m log m + n P).
[[nodiscard]] Time makespan_bound(const DelayModel& model);

struct MakespanSearch {
  /// The shortest schedule below the limit, if the search met one.
  std::optional<Timetable> timetable;
  /// Whether all were looked at, so that none is shorter than that one, or than the limit.
  bool is_complete = false;
};

/// Searches for schedules shorter than `limit` until none can be shorter or `effort`, which it lowers, is
/// used up: one for each partial schedule. Exponential; O((n + m) P) time a partial schedule, and 64 MB of
/// memory at most for those that were met.
[[nodiscard]] MakespanSearch search_makespan(const DelayModel& model, Time limit, std::uint64_t& effort);

}  // namespace takt::schedulers
