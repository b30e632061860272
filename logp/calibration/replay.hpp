#pragma once
/// A random schedule as a program for each rank, for execution with timing.

#include <cstdint>
#include <vector>

#include "core/schedule.hpp"
#include "logp/cost.hpp"

namespace takt::logp {

/// One operation of a rank's program.
struct ReplayStep {
  OperationKind kind = OperationKind::compute;
  /// The other end of a message, and the message's number.
  std::uint32_t partner = 0;
  std::uint32_t message = 0;
  Bytes size;
  /// Duration of a computation.
  Time duration{0};

  friend bool operator==(const ReplayStep&, const ReplayStep&) = default;
};

struct Replay {
  /// The steps of each processor. Processor 0 has the first and the last step of all, so that its clock alone
  /// times the whole.
  std::vector<std::vector<ReplayStep>> programs;
  std::uint32_t messages = 0;
  /// The timing engine's makespan.
  Time predicted{0};
};

struct ReplayOptions {
  std::size_t processors = 2;
  std::size_t tasks = 12;
  /// Longest duration of a task; the shortest is 2 us.
  Time longest_task{40'000};
  /// Largest size of an edge, from 1 byte on, evenly distributed over the powers of two.
  Bytes largest{65536};
  std::uint64_t seed = 1;
};

/// Returns a random graph between one first and one last task, on random processors, timed with task messages
/// under these costs between all processors.
[[nodiscard]] Replay random_replay(const LinkCosts& costs, const ReplayOptions& options);

}  // namespace takt::logp
