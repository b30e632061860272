#pragma once
/// Exact search for an order of what processors do, within a period.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/schedule.hpp"

namespace takt::schedulers {

/// What a processor does once in each repetition.
struct DisjunctiveOperation {
  OperationKind kind = OperationKind::compute;
  std::uint32_t processor = 0;
  Time::rep length = 0;
  /// Least time from the start of a send or receive to the next one of the same kind, `length` at least.
  Time::rep spacing = 0;
};

/// One operation starts at least `distance` after another one.
struct Precedence {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  Time::rep distance = 0;
};

/// Start times with which every processor does one operation at a time, keeps the spacing of its sends and of
/// its receives, from one repetition to the next one, too, and is done within `period` of its start; nothing
/// when there are none, or when the budget, which each node of the search lowers by n^2 / 16, and each
/// constraint that lengthens paths before by n^2 / 256, has ended.
///
/// The disjunctive graph of a job shop (Roy and Sussmann 1964; Carlier and Pinson 1989) with windows in place
/// of a makespan: the longest paths between all starts are kept, closed over all constraints. Of two
/// operations of a processor one comes first; an order that would close a positive circle is ruled out, and
/// where both are open the pair with the least room is tried both ways. O(n^2) for each order that is
/// decided.
[[nodiscard]] std::optional<std::vector<Time::rep>> find_starts(
    std::span<const DisjunctiveOperation> operations, std::span<const Precedence> precedences,
    Time::rep period, std::uint64_t& budget);

}  // namespace takt::schedulers
