#pragma once
/// Frame offsets of a pipelined schedule: which frame an iteration applies each operation to.
///
/// The times of a pipelined schedule are those of its first frames, and may go beyond one iteration. An
/// operation that starts at s has the offset floor(s / P), where P is the schedule's repetition: iteration i
/// applies it to the frames of iteration i - offset, and skips it while that is negative, or after the end of
/// the stream. Within an iteration it starts at s mod P.

#include <cstdint>
#include <vector>

#include "core/schedule.hpp"

namespace takt {

/// Returns how many iterations after the first one of its frames an operation runs: negative only for a
/// negative start. `repetition` is positive.
[[nodiscard]] constexpr std::int64_t offset_of(const Operation& operation, Time repetition) {
  return operation.start / repetition - (operation.start % repetition < Time{0} ? 1 : 0);
}

/// An operation within one iteration.
struct IterationStep {
  /// Its place in the processor's list of the schedule.
  std::uint32_t operation = 0;
  std::int64_t offset = 0;
  /// Time since the begin of the iteration.
  Time start{0};
  friend bool operator==(const IterationStep&, const IterationStep&) = default;
};

/// Returns the program of each processor in one iteration: its operations in order of their start within the
/// iteration, operations without a length first, then in the schedule's order. For a schedule that is not
/// pipelined that is the schedule's order, all with offset 0. O(n log n).
[[nodiscard]] std::vector<std::vector<IterationStep>> iteration_programs(const Schedule& schedule);

/// Returns the largest offset: after the last iteration of a stream, so many iterations drain the pipeline.
[[nodiscard]] std::int64_t largest_offset(const Schedule& schedule);

}  // namespace takt
