#pragma once
/// Which rank executes each call, and in which order.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

struct Assignment {
  /// The calls of each rank, in order of execution.
  std::vector<std::vector<CallId>> ranks;

  [[nodiscard]] std::vector<std::uint32_t> rank_of_call(const Program& program) const;
};

/// Returns the assignment of a schedule of the program's graph: its processors are the ranks.
///
/// Calls that use the environment all go to the rank of the first of them, which becomes rank 0: output then
/// appears as from the sequential program. Each rank executes its calls in the order of their starts, except
/// where the program's precedences demand another order. A schedule of several frames counts with its first
/// one.
[[nodiscard]] Assignment assignment_of(const Program& program, const Schedule& schedule);

/// Returns the assignment with each call on its rank, in the order of `start` and then of the program; calls
/// that use the environment as above.
[[nodiscard]] Assignment assignment_on(const Program& program, std::vector<std::uint32_t> rank_of,
                                       const std::vector<Time>& start, std::size_t ranks);

/// Returns the calls in an order that obeys flows and precedences: by `start`, then in the program's order.
/// Calls that must wait for later ones come directly after the last of these. O((calls + readers) log
/// calls).
[[nodiscard]] std::vector<CallId> global_order(const Program& program, const std::vector<Time>& start);

}  // namespace takt::frontend
