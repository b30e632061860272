#pragma once
/// A lower bound of the period for expensive messages and few tasks per processor.

#include <cstdint>

#include "core/units.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The linear relaxation over all sets of tasks that a processor can have (P. C. Gilmore, R. E. Gomory,
/// 1961), with the cost of the data that crosses the border of a set.
///
/// A processor's tasks fall into connected parts with additive costs: the time of the tasks and the data
/// across the border (connected_parts.hpp). A period T admits only parts C with cost(C) <= T. With prices y
/// of the tasks such that
///
///   sum of y over C <= share(cost(C)),  share(c) = 1 where nothing fits next to c, and c / T otherwise,
///
/// no processor's tasks are worth more than 1, and T is impossible if all tasks are worth more than P. All
/// parts are enumerated. A multiplicative method finds the prices: the parts with the highest value for their
/// share lower the prices of their tasks (S. A. Plotkin, D. B. Shmoys, E. Tardos, "Fast approximation
/// algorithms for fractional packing and covering problems", Mathematics of Operations Research 20, 1995).
///
/// `at_least` is a known lower bound, `below` a known period; the result lies between the two. If a period
/// has too many parts, the result is the bound from shorter periods. For schedules of one copy of at most
/// 4096 tasks. `budget`: steps of the enumeration.
[[nodiscard]] Time configuration_bound(const Workload& workload, Time at_least, Time below,
                                       std::uint64_t budget);

}  // namespace takt::schedulers
