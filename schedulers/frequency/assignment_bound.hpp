#pragma once
/// A lower bound of the period from every way to share out the tasks.

#include <cstdint>

#include "schedulers/frequency/workload.hpp"

namespace takt::schedulers {

/// No schedule of the workload repeats in less time, whatever its orders, messages and ways of data.
///
/// Wherever the tasks are, a processor is busy for its tasks, for sending what it makes and others need, and
/// for receiving what it needs and others make: each datum once at least, and in no less time than one
/// message with all of it takes. The least over all assignments of the longest such time is found by branch
/// and bound: tasks in descending order of time, each to every processor (of equal processors without tasks,
/// to the first), as long as everything is below the best assignment so far and the rest of the work fits
/// below it.
///
/// `at_least` is a known lower bound and `below` a known period: the answer lies between the two and is
/// `below` when no assignment allows less. Lowers `budget` by the assignments looked at; when that is used
/// up, or the graph has more than a hundred tasks, the answer is `at_least`. Exponential.
[[nodiscard]] Time assignment_bound(const Workload& workload, Time at_least, Time below,
                                    std::uint64_t& budget);

}  // namespace takt::schedulers
