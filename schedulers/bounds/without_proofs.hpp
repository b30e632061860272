#pragma once
/// Schedules that are carried over to where their proofs do not hold.

#include "core/schedule.hpp"

namespace takt::schedulers {

/// The same schedule, which no longer says what was proven of it: that was about another machine, or about
/// fewer schedules.
[[nodiscard]] Schedule without_proofs(Schedule schedule);

}  // namespace takt::schedulers
