#pragma once
/// Removal of proofs from schedules that are reused where the proofs do not hold.

#include "core/schedule.hpp"

namespace takt::schedulers {

/// Returns the schedule without its bounds and proofs, which hold for another machine or for a smaller class
/// of schedules.
[[nodiscard]] Schedule without_proofs(Schedule schedule);

}  // namespace takt::schedulers
