#pragma once
/// Tasks whose processors are given: only their order and times are left to decide.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The b-levels of the tasks on the given processors: an edge within one processor counts nothing. O(n + m).
[[nodiscard]] std::vector<Time> b_levels(const DelayModel& model, std::span<const ProcessorId> processor_of);

/// List scheduling on given processors: of the ready tasks the one with the highest b-level (as above) comes
/// next and runs after all tasks on its processor. Ties: the lower task id. O(n log n + m). `why_there` says
/// in the trace, if there is one, why a task has its processor.
[[nodiscard]] Timetable place_assigned(const DelayModel& model, std::span<const ProcessorId> processor_of,
                                       Trace* trace = nullptr,
                                       const std::function<std::string(TaskId)>& why_there = {});

}  // namespace takt::schedulers
