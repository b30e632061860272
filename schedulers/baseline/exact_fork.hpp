#pragma once
/// The shortest schedules of forks (one task and its children) and joins (one task and its parents) on equal
/// processors, which a search over all orders is slow to prove.

#include <cstdint>
#include <optional>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

/// The shortest schedule, if the graph is a fork or a join, the processors are equal, and no more than
/// `effort` partial schedules have to be looked at. `upper` is the length of a schedule that is known.
///
/// * The order is known (O. Sinnen and others): with the root its children run at once, in any order;
///   elsewhere in the order in which their data arrives, since to exchange two that do not makes none later.
///   So the children are assigned in that order, one by one, to the root's processor or another.
/// * Of partial schedules only those that are not worse everywhere than another are kept: level by level they
///   are at most as many as there are different loads.
/// * A join is a fork whose time runs backwards.
[[nodiscard]] std::optional<Timetable> shortest_fork(const DelayModel& model, Time upper,
                                                     std::uint64_t effort);

}  // namespace takt::schedulers
