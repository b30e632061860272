#pragma once
/// A lower bound of the period on processors that take different times for tasks.

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The least period if tasks could be shared out in parts: the linear relaxation of scheduling unrelated
/// machines (J. K. Lenstra, D. B. Shmoys, E. Tardos, "Approximation algorithms for scheduling unrelated
/// parallel machines", Mathematical Programming 46, 1990). Unlike the area bound it knows that times are
/// rounded up to whole ticks, and that with a table of times nobody is fastest for everything.
///
/// By duality, for any prices y of a tick on each processor,
///
///   period * sum of y >= sum over tasks of the least y * time,
///
/// so that any prices give a bound; good ones are found by making those processors more expensive to which
/// too much goes. In a connected graph of which one processor cannot have everything in less time, each one
/// with tasks exchanges a message, whose least overhead comes on top. For schedules of one copy. O(n c) for c
/// classes of processors, some hundred times; 0 where all processors are alike.
[[nodiscard]] Time share_bound(const Workload& workload);

}  // namespace takt::schedulers
