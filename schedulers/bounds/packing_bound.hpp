#pragma once
/// A lower bound of the period from tasks that are whole: where processors have a few tasks each, of
/// different speeds or not, some time is left over on each of them.

#include <vector>

#include "core/units.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// What is known of how tasks fit on processors.
struct PackingBound {
  /// No period is less.
  Time period{0};
  /// A price for each item, with which this shows, or nearly: what it is worth that a processor takes the
  /// item, where others are still to be filled. None where no prices were tried.
  std::vector<double> prices;
};

/// Whether the tasks can be packed on the processors at all, each with room for a period, by the linear
/// relaxation over all sets of tasks that fit (P. C. Gilmore, R. E. Gomory, "A linear programming approach to
/// the cutting-stock problem", Operations Research 9, 1961): for any prices y of the tasks, no period is
/// possible with
///
///   sum of y > sum over processors of the most y that tasks bring which fit into the period there,
///
/// a knapsack problem for each class of processors. In a connected graph each processor with a part of the
/// tasks exchanges a message, whose least overhead it has no room for, and all of them together one fewer
/// than they are, at both ends: what they are busy for that has a price, too, and a knapsack leaves as much
/// room as pays. A task that fits neither with all that it depends on nor with all that depends on it is on a
/// processor that both receives and sends. Good prices are found by a subgradient method: tasks that too many
/// knapsacks take become cheaper, those that none takes more expensive (M. Held, R. M. Karp, 1971; B. T.
/// Polyak, 1969).
///
/// `at_least` is a known lower bound, `below` a known period; the answer lies between the two. Where periods
/// are long, times are rounded down to units, of which some hundreds to thousands are a period; where that
/// would be too coarse for the tasks that a processor has, hardly any time is left over, and the answer is
/// `at_least`. O(c n T) for c classes and a period of T units, some thousand times, half a second at most;
/// `effort` is the share of that which may be spent. For schedules of one copy.
[[nodiscard]] PackingBound packing_bound(const Workload& workload, Time at_least, Time below,
                                         double effort = 1);

}  // namespace takt::schedulers
