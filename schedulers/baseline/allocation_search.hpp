#pragma once
/// Branch and bound over who does what, then over the orders: where messages are expensive it decides sooner
/// which of them are sent at all than a search that goes along the time.

#include <cstdint>

#include "schedulers/baseline/makespan_search.hpp"
#include "schedulers/delay/delay_model.hpp"

namespace takt::schedulers {

/// Whether the search serves the model: equal processors, and two to 64 tasks.
[[nodiscard]] bool can_search_allocations(const DelayModel& model);

/// Searches for schedules shorter than `limit` until none can be shorter or `effort`, which it lowers, is
/// used up: one for each partial allocation, and for each choice between two orders.
///
/// * Allocations (M. Orr and O. Sinnen, "Optimal task scheduling benefits from a duplicate-free state-space",
///   Journal of Parallel and Distributed Computing 146, 2020): depth first, task by task in a topological
///   order; each joins a group of those before or begins one, as long as there are processors.
/// * Bounds: the latest of the earliest ends, with the messages that are decided; a task comes after all its
///   ancestors of its group; others start no sooner than join_bounds.hpp says, and one that a single group
///   can still take in time counts as in it. For each group Jackson's preemptive schedule (J. Carlier, "The
///   one-machine sequencing problem", European Journal of Operational Research 11, 1982).
/// * Orders, when all tasks have a group: of two tasks of which one cannot come first below the limit,
///   the other one does (J. Carlier and E. Pinson, "An algorithm for solving the job-shop problem",
///   Management Science 35, 1989); Jackson's preemptive schedule for each group; where two tasks of a group
///   would overlap if all started as early as they can, the one comes first or the other; where none do, that
///   is a schedule.
/// * Ties: the first of the shortest that the search meets, groups of parents with the most expensive data
/// first.
///
/// Exponential; O((n + m) P + n log n) time a step, O(n^2) memory. Requires can_search_allocations().
[[nodiscard]] MakespanSearch search_allocations(const DelayModel& model, Time limit, std::uint64_t& effort);

}  // namespace takt::schedulers
