#pragma once
/// Bounds of a task's start from the distribution of its parents over processors.
///
/// Parents on the task's own processor run one after the other; the data of a parent elsewhere has its delay.
/// Neither alone is a strong bound with expensive messages: with all parents here no delay counts, and with
/// all elsewhere no parent waits for another one.

#include <span>
#include <vector>

#include "schedulers/delay/delay_model.hpp"

namespace takt::schedulers {

/// A parent of a task.
struct JoinParent {
  /// Earliest start and least duration on the task's own processor.
  Time start{0};
  Time duration{0};
  /// Earliest arrival of its data from another processor.
  Time arrival{0};
};

/// Returns a start that no schedule can beat. If a parent is elsewhere, all parents with no later arrivals
/// may be elsewhere, too. So for each number of last arrivals kept here: the end of these in sequence, and
/// the arrival of the next one. Reorders the parents. O(d log d), and O(d) for each parent here.
[[nodiscard]] Time earliest_join(std::span<JoinParent> parents);

/// Returns each task's earliest start in any schedule on the model's processors; with `is_backwards`, the
/// least time from its end to that of the schedule. O(m (log m + P^2)) with delays that differ by pair, else
/// O(m log m).
[[nodiscard]] std::vector<Time> join_heads(const DelayModel& model, bool is_backwards = false);

/// Returns the least delay of an edge between two processors; 0 with a single processor. O(P^2) with delays
/// that differ by pair.
[[nodiscard]] Time least_delay(const DelayModel& model, EdgeId edge);

/// Returns the least duration of a task on any processor. O(P).
[[nodiscard]] Time least_duration(const DelayModel& model, TaskId task);

}  // namespace takt::schedulers
