#pragma once
/// Ranks of tasks on heterogeneous machines, from the exact means of durations over the processors and of
/// delays over their pairs.

#include <vector>

#include "schedulers/delay/delay_model.hpp"

namespace takt::schedulers {

/// Returns the longest path to an exit, the task included. O(n P + m).
[[nodiscard]] std::vector<Parts> upward_ranks(const DelayModel& model);

/// Returns the longest path from an entry, the task excluded. O(n P + m).
[[nodiscard]] std::vector<Parts> downward_ranks(const DelayModel& model);

}  // namespace takt::schedulers
