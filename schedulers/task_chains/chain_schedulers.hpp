#pragma once
/// `otac`, `fertac`, `twocatac`, `herad`: contiguous stages of a chain on cores of two classes, as schedules.
///
/// A graph that is no chain is ordered topologically (by layer, then id), so that data only move to later
/// stages. The algorithms ignore messages: their costs are in the timetable, not in the choice of stages. The
/// tasks' times on each processor define the classes (ChainOnCores). Sources and complexities:
/// greedy_stages.hpp, herad.hpp; then O(R n) for the timetable of R frames.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Uses the class of cores with the shorter period; of equal ones the slower class.
[[nodiscard]] Schedule otac(const TaskGraph& graph, const logp::Machine& machine, const Options& options);
[[nodiscard]] Schedule fertac(const TaskGraph& graph, const logp::Machine& machine, const Options& options);
[[nodiscard]] Schedule twocatac(const TaskGraph& graph, const logp::Machine& machine, const Options& options);
[[nodiscard]] Schedule herad(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
