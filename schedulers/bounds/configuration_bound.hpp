#pragma once
/// A lower bound of the period where messages are expensive and processors have a few tasks each.

#include <cstdint>

#include "core/units.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The linear relaxation over all sets of tasks that a processor can have (P. C. Gilmore, R. E. Gomory,
/// 1961), with what their data across the border cost.
///
/// What a processor has falls into connected parts, whose costs, their time and the data across their border,
/// add up (connected_parts.hpp). For a period T there are only parts C with cost(C) <= T; with prices y of
/// the tasks such that
///
///   sum of y over C <= share(cost(C)),  share(c) = 1 where nothing fits beside c, and c / T otherwise,
///
/// no processor's tasks are worth more than 1, and T is impossible if all tasks are worth more than P. All
/// parts are enumerated, the prices found by a multiplicative method: the parts that are worth most for their
/// share make their tasks cheaper (S. A. Plotkin, D. B. Shmoys, E. Tardos, "Fast approximation algorithms for
/// fractional packing and covering problems", Mathematics of Operations Research 20, 1995).
///
/// `at_least` is a known lower bound, `below` a known period; the answer lies between the two. Where parts
/// are too many it is what is known of shorter periods. For schedules of one copy of at most 4096 tasks.
/// `budget`: steps of the enumeration.
[[nodiscard]] Time configuration_bound(const Workload& workload, Time at_least, Time below,
                                       std::uint64_t budget);

}  // namespace takt::schedulers
