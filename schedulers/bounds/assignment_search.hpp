#pragma once
/// Branch and bound over the assignments of tasks to processors that may have a period below a limit.

#include <cstdint>
#include <functional>
#include <span>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Callback with the processor of each item and a lower bound of the longest time that a processor is busy or
/// bound by gaps. Returns the limit below which to continue; Time{0} ends the search.
using AssignmentVisit = std::function<Time(std::span<const ProcessorId>, Time)>;

/// Which processors are interchangeable while they have no items.
enum class Interchange : std::uint8_t {
  /// Those that take the same time for every item, wherever they are.
  of_equal_speed,
  /// Of those, only processors of a machine with equal links.
  of_equal_speed_and_links,
};

/// Visits the assignments of items to processors whose least time is below `below`, by branch and bound.
/// Items come in descending order of time. Each tries every processor (only the first of interchangeable
/// empty ones), as long as all loads are below the limit and the remaining work fits.
///
/// The least time of a processor consists of its items, of sends of its outputs that other processors need,
/// and of receives of inputs made elsewhere. Each datum counts at least once, at the least cost of one
/// message with all of it (least_cost.hpp). So no schedule with this assignment has a smaller period,
/// whatever its orders, messages and routes.
///
/// Subtracts the examined assignments, partial ones included, from `budget`; returns false if it is spent
/// before the end. Supports up to a hundred items. Exponential.
bool for_each_assignment(const Workload& workload, Time below, Interchange interchange, std::uint64_t& budget,
                         const AssignmentVisit& visit);

/// Largest number of items: more would take too long, and too deep a recursion.
inline constexpr std::size_t most_assigned_items = 100;

}  // namespace takt::schedulers
