#pragma once
/// A lower bound of the period on processors with different times for tasks.

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Returns the least period with divisible tasks: the linear relaxation of scheduling unrelated machines (J.
/// K. Lenstra, D. B. Shmoys, E. Tardos, "Approximation algorithms for scheduling unrelated parallel
/// machines", Mathematical Programming 46, 1990). In contrast to the area bound it respects that times are
/// rounded up to whole ticks, and that with a table of times no processor is the fastest for all tasks.
///
/// By duality, for any prices y of a tick on each processor,
///
///   period * sum of y >= sum over tasks of the least y * time,
///
/// so any prices yield a bound. Good ones result from raising the price of processors with too much work. In
/// a connected graph that one processor cannot execute in less time, each processor with tasks exchanges a
/// message, whose least overhead is added. For schedules of one copy. O(n c) for c classes of processors,
/// some hundred times; 0 if all processors are equal.
[[nodiscard]] Time share_bound(const Workload& workload);

}  // namespace takt::schedulers
