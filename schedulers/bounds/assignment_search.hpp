#pragma once
/// Every way to share out the tasks that may be below a period.

#include <cstdint>
#include <functional>
#include <span>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Called with the processor of each item and the longest time that a processor is busy or bound by gaps for
/// it at least; returns the limit below which to go on, Time{0} to end the search.
using AssignmentVisit = std::function<Time(std::span<const ProcessorId>, Time)>;

/// Which processors may stand for each other as long as they have no items.
enum class Interchange : std::uint8_t {
  /// Those that take the same time for every item, wherever they are.
  of_equal_speed,
  /// Of those only where all links are equal, too.
  of_equal_speed_and_links,
};

/// Visits the assignments of items to processors whose least time is below `below`, by branch and bound:
/// items in descending order of time, each to every processor (of interchangeable ones without items, to the
/// first), as long as everything is below the limit and the rest of the work fits below it.
///
/// The least time of a processor: its items, sending what it makes and others need, and receiving what it
/// needs and others make; each datum once at least, and in no less time than one message with all of it takes
/// (least_cost.hpp). So no schedule with this assignment has a smaller period, whatever its orders, messages
/// and ways of data.
///
/// Lowers `budget` by the assignments looked at, partial ones included; false when that was used up before
/// the end. For up to a hundred items. Exponential.
bool for_each_assignment(const Workload& workload, Time below, Interchange interchange, std::uint64_t& budget,
                         const AssignmentVisit& visit);

/// Beyond so many items it would not come to an end, and recurse deeply.
inline constexpr std::size_t most_assigned_items = 100;

}  // namespace takt::schedulers
