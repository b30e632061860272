#pragma once
/// A lower bound of the period from an enumeration of all assignments.

#include <cstdint>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Returns a period that no schedule of the workload beats, whatever its orders, messages and routes:
/// the least, over all assignments, of the longest busy time of a processor (assignment_search.hpp).
///
/// `at_least` is a known lower bound and `below` a known period. The result lies between the two; it
/// is `below` if no assignment allows less. Subtracts the examined assignments from `budget`. If the
/// budget is spent, or the graph has more than a hundred tasks, the result is `at_least`.
/// Exponential.
[[nodiscard]] Time assignment_bound(const Workload& workload, Time at_least, Time below,
                                    std::uint64_t& budget);

}  // namespace takt::schedulers
