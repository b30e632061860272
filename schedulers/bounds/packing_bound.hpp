#pragma once
/// A lower bound of the period from indivisible tasks: with few tasks per processor, of equal or different
/// speeds, some time on each processor stays unused.

#include <vector>

#include "core/units.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// A bound from the packing of tasks on processors, with the prices that prove it.
struct PackingBound {
  /// No schedule has a smaller period.
  Time period{0};
  /// A price for each item that proves the bound, or nearly: the value of assigning the item to a processor
  /// while others are still to be filled. Empty if no prices were tried.
  std::vector<double> prices;
};

/// Tests whether the tasks can be packed on the processors within a period, by the linear relaxation over
/// all sets of tasks that fit (P. C. Gilmore, R. E. Gomory, "A linear programming approach to the
/// cutting-stock problem", Operations Research 9, 1961). For any prices y of the tasks, a period is
/// impossible if
///
///   sum of y > sum over processors of the most y of tasks that fit into the period there,
///
/// a knapsack problem for each class of processors. In a connected graph each processor with some of the
/// tasks exchanges a message, whose least overhead reduces its room. All processors together exchange one
/// message fewer than their number, at both ends: that time has a price, too, and a knapsack leaves as much
/// room for it as pays. A task that fits neither with all its ancestors nor with all its descendants is on a
/// processor that both receives and sends. A subgradient method finds good prices: tasks that too many
/// knapsacks contain become cheaper, those in none more expensive (M. Held, R. M. Karp, 1971; B. T. Polyak,
/// 1969).
///
/// `at_least` is a known lower bound, `below` a known period; the result lies between the two. For long
/// periods times are rounded down to units, some hundreds to thousands per period. If that is too coarse for
/// the tasks per processor, hardly any time stays unused, and the result is `at_least`. O(c n T) for c
/// classes and a period of T units, some thousand times, half a second at most; `effort` is the share of
/// that which may be spent. For schedules of one copy.
[[nodiscard]] PackingBound packing_bound(const Workload& workload, Time at_least, Time below,
                                         double effort = 1);

}  // namespace takt::schedulers
