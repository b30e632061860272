#pragma once
/// Shortest schedules of forks (one task and its children) and joins (one task and its parents) on equal
/// processors; a search over all orders proves these slowly.

#include <cstdint>
#include <optional>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

/// Returns the shortest schedule if the graph is a fork or a join, the processors are equal, and at most
/// `effort` partial schedules are examined. `upper` is the length of a known schedule.
///
/// * The order is known (O. Sinnen and others): on the root's processor children run in any order, without a
///   gap; elsewhere they run in order of arrival, since exchanging two of them delays none. So each child in
///   that order is assigned to the root's processor or to another one.
/// * Partial schedules that are nowhere better than another one are dropped. A level holds at most as many as
///   there are different loads.
/// * A join is a fork in reversed time.
[[nodiscard]] std::optional<Timetable> shortest_fork(const DelayModel& model, Time upper,
                                                     std::uint64_t effort);

}  // namespace takt::schedulers
