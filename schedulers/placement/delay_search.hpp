#pragma once
/// Shortens schedules under the delay model by moving tasks between processors.

#include <cstdint>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

/// Returns the timetable, or a shorter one found by moving single tasks (routed_search.hpp, without links)
/// within a budget of placed tasks and messages. O(n log n + m) a trial.
[[nodiscard]] Timetable improve_delays(const DelayModel& model, Timetable timetable, std::uint64_t budget);

}  // namespace takt::schedulers
