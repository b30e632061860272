#pragma once
/// A random schedule as a program for each rank, to be carried out and timed.

#include <cstdint>
#include <vector>

#include "core/schedule.hpp"
#include "logp/cost.hpp"

namespace takt::logp {

/// What a rank does next.
struct ReplayStep {
  OperationKind kind = OperationKind::compute;
  /// Other end of a message, and the message's number.
  std::uint32_t partner = 0;
  std::uint32_t message = 0;
  Bytes size;
  /// How long to compute.
  Time duration{0};

  friend bool operator==(const ReplayStep&, const ReplayStep&) = default;
};

struct Replay {
  /// For each processor its steps. Processor 0 has the first and the last one of all, so that its clock
  /// alone can time the whole.
  std::vector<std::vector<ReplayStep>> programs;
  std::uint32_t messages = 0;
  /// The timing engine's makespan.
  Time predicted{0};
};

struct ReplayOptions {
  std::size_t processors = 2;
  std::size_t tasks = 12;
  /// Tasks take 2 us to this long.
  Time longest_task{40'000};
  /// Edges carry 1 byte to this much, evenly spread over the powers of two.
  Bytes largest{65536};
  std::uint64_t seed = 1;
};

/// A random graph between one first and one last task, dealt to the processors at random, timed with task
/// messages under these costs between all processors.
[[nodiscard]] Replay random_replay(const LinkCosts& costs, const ReplayOptions& options);

}  // namespace takt::logp
