#pragma once
/// A longest path through the graph, and the best processor for it.

#include <vector>

#include "schedulers/delay/delay_model.hpp"

namespace takt::schedulers {

/// Returns a longest path from an entry to an exit, from the tasks' levels to the exit: in Time by mean
/// durations and delays, or in Parts by the exact means. It starts at the task of the highest level; each
/// step goes to the child that determines the level. Ties: the lower task id. O(n + edges of the path).
[[nodiscard]] std::vector<TaskId> critical_path_of(const DelayModel& model, const std::vector<Time>& level);
[[nodiscard]] std::vector<TaskId> critical_path_of(const DelayModel& model, const std::vector<Parts>& level);

/// Returns the processor with the least sum of the tasks' durations; of equal ones the first. O(tasks * P).
[[nodiscard]] ProcessorId fastest_for(const DelayModel& model, const std::vector<TaskId>& tasks);

}  // namespace takt::schedulers
