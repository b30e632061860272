#pragma once
/// Branch and bound over allocations, then over orders. With expensive messages it decides earlier than a
/// search in order of time which messages are sent.

#include <cstdint>

#include "schedulers/baseline/makespan_search.hpp"
#include "schedulers/delay/delay_model.hpp"

namespace takt::schedulers {

/// Returns whether the search supports the model: equal processors, and two to 64 tasks.
[[nodiscard]] bool can_search_allocations(const DelayModel& model);

/// Searches for schedules shorter than `limit`, until none exists or `effort` is spent. Each partial
/// allocation and each choice between two orders costs one step, which the search subtracts from `effort`.
///
/// * Allocations (M. Orr and O. Sinnen, "Optimal task scheduling benefits from a duplicate-free
///   state-space", Journal of Parallel and Distributed Computing 146, 2020): depth first, task by task in
///   a topological order. Each task joins an earlier group or, as long as there are processors, opens a
///   new one.
/// * Bounds: the largest earliest end, with the decided messages. A task follows all its ancestors in its
///   group; undecided tasks start no earlier than join_bounds.hpp proves, and one that fits a single group
///   counts as its member. For each group Jackson's preemptive schedule (J. Carlier, "The one-machine
///   sequencing problem", European Journal of Operational Research 11, 1982).
/// * Orders, when all tasks have a group: of two tasks of which one cannot come first below the limit, the
///   other one does (J. Carlier and E. Pinson, "An algorithm for solving the job-shop problem", Management
///   Science 35, 1989). Jackson's preemptive schedule bounds each group. If two tasks of a group overlap
///   at their least starts, the search branches on their order; if none overlap, the starts are a
///   schedule.
/// * Ties: the first shortest schedule found, with groups of parents of the most expensive data first.
///
/// Exponential; O((n + m) P + n log n) time a step, O(n^2) memory. Requires can_search_allocations().
[[nodiscard]] MakespanSearch search_allocations(const DelayModel& model, Time limit, std::uint64_t& effort);

}  // namespace takt::schedulers
