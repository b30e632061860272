#pragma once
/// The frequency searches by their public names.

#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {

inline const SchedulerFunction optfo = find_scheduler("optfo").schedule;
inline const SchedulerFunction exact_fo = find_scheduler("exact_fo").schedule;

}  // namespace takt::schedulers
