#pragma once
/// What it costs that a task's parents are on one processor or on several.
///
/// A parent on the task's own processor takes its turn there with the other ones that are; the data of a
/// parent elsewhere has its delay. Neither alone says much where messages are expensive: with all parents
/// here nothing is delayed, and with all elsewhere nobody waits for a turn.

#include <span>
#include <vector>

#include "schedulers/delay/delay_model.hpp"

namespace takt::schedulers {

/// A parent of a task.
struct JoinParent {
  /// Here it starts no sooner and takes so long at least.
  Time start{0};
  Time duration{0};
  /// From elsewhere its data is there no sooner.
  Time arrival{0};
};

/// No schedule starts the task sooner. If a parent is elsewhere, so may all be whose data arrives no later;
/// so for each number of last arrivals that are here: when these are done one after the other, and when the
/// next one's data arrives. Reorders the parents. O(d log d) and O(d) for each parent that is here.
[[nodiscard]] Time earliest_join(std::span<JoinParent> parents);

/// For each task the earliest start in any schedule on the model's processors; with `is_backwards`, the least
/// time from its end to that of the schedule. O(m (log m + P^2)) with delays that differ by pair, else
/// O(m log m).
[[nodiscard]] std::vector<Time> join_heads(const DelayModel& model, bool is_backwards = false);

/// The least delay of an edge between two processors; 0 where there is only one. O(P^2) with delays that
/// differ by pair.
[[nodiscard]] Time least_delay(const DelayModel& model, EdgeId edge);

/// The least duration of a task on any processor. O(P).
[[nodiscard]] Time least_duration(const DelayModel& model, TaskId task);

}  // namespace takt::schedulers
