#pragma once
/// One longest path through the graph, and where to run it.

#include <vector>

#include "schedulers/delay/delay_model.hpp"

namespace takt::schedulers {

/// A longest path from an entry to an exit, given the tasks' levels to the exit, in Time by mean durations
/// and delays or in Parts by the exact means: from the task of the highest level on, at each step to the
/// child that makes the task's level. Ties: the lower task id. O(n + edges of the path).
[[nodiscard]] std::vector<TaskId> critical_path_of(const DelayModel& model, const std::vector<Time>& level);
[[nodiscard]] std::vector<TaskId> critical_path_of(const DelayModel& model, const std::vector<Parts>& level);

/// The processor with the least sum of the tasks' durations; of equal ones the first. O(tasks * P).
[[nodiscard]] ProcessorId fastest_for(const DelayModel& model, const std::vector<TaskId>& tasks);

}  // namespace takt::schedulers
