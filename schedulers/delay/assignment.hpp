#pragma once
/// List scheduling of tasks with given processors: decides only order and times.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the b-levels for the given processors: an edge within a processor counts nothing. O(n + m).
[[nodiscard]] std::vector<Time> b_levels(const DelayModel& model, std::span<const ProcessorId> processor_of);

/// List scheduling on given processors: the ready task with the highest b-level (as above) comes next and
/// runs after all tasks on its processor. Ties: the lower task id. O(n log n + m). `why_there` provides the
/// trace, if any, with the reason for a task's processor.
[[nodiscard]] Timetable place_assigned(const DelayModel& model, std::span<const ProcessorId> processor_of,
                                       Trace* trace = nullptr,
                                       const std::function<std::string(TaskId)>& why_there = {});

}  // namespace takt::schedulers
