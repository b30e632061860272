#pragma once
/// A lower bound of the period from every way to share out the tasks.

#include <cstdint>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// No schedule of the workload repeats in less time, whatever its orders, messages and ways of data: the
/// least over all assignments of the longest time that a processor is busy for its own
/// (assignment_search.hpp).
///
/// `at_least` is a known lower bound and `below` a known period: the answer lies between the two and is
/// `below` when no assignment allows less. Lowers `budget` by the assignments looked at; when that is used
/// up, or the graph has more than a hundred tasks, the answer is `at_least`. Exponential.
[[nodiscard]] Time assignment_bound(const Workload& workload, Time at_least, Time below,
                                    std::uint64_t& budget);

}  // namespace takt::schedulers
