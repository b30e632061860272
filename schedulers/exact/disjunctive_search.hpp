#pragma once
/// Exact search for an order of the operations of the processors within a period.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/schedule.hpp"

namespace takt::schedulers {

/// An operation of a processor, once per iteration.
struct DisjunctiveOperation {
  OperationKind kind = OperationKind::compute;
  std::uint32_t processor = 0;
  Time::rep length = 0;
  /// Least time from the start of a send or receive to the next one of the same kind, at least `length`.
  Time::rep spacing = 0;
};

/// One operation starts at least `distance` after another one.
struct Precedence {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  Time::rep distance = 0;
};

/// Returns start times so that every processor executes one operation at a time, keeps the spacing of its
/// sends and of its receives, also across iterations, and ends within `period` of its start. Returns nothing
/// if there are none, or if the budget is spent; each pass over all pairs costs n^2 / 400.
///
/// The disjunctive graph of a job shop (Roy and Sussmann 1964; Carlier and Pinson 1989) with windows in place
/// of a makespan. The search maintains the longest paths between all starts, closed over all constraints,
/// initially in O(n^3). Of two operations of a processor one comes first. An order that would close a
/// positive cycle is excluded; where both are possible the search branches on the pair with the least room.
/// O(n^2) for each decided order.
[[nodiscard]] std::optional<std::vector<Time::rep>> find_starts(
    std::span<const DisjunctiveOperation> operations, std::span<const Precedence> precedences,
    Time::rep period, std::uint64_t& budget);

}  // namespace takt::schedulers
