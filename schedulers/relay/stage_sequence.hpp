#pragma once
/// The order of what one stage does, so that gaps between messages are filled with work.

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule.hpp"

namespace takt::schedulers {

/// Something that a stage does once in each repetition.
struct StageOperation {
  OperationKind kind = OperationKind::compute;
  Time length{0};
  /// Least time from the start of a send or receive to the next one of the same kind.
  Time gap{0};
  /// Other operations of the stage that must come before it.
  std::vector<std::uint32_t> needs;
};

/// An order that respects `needs` and keeps the stage's time from start to end short, where everything that
/// is to be received may be there when wanted.
///
/// Walks through time: whenever the stage is free it sends what is ready, if the gap allows; otherwise it
/// receives; otherwise it computes what is ready; otherwise it waits for a gap to end. What it computes and
/// receives first is what the send with the least work before it needs, then the next such send, and so on;
/// the rest by its number. O(n (s + log n)) for n operations, s of them sends. `needs` must not be circular.
[[nodiscard]] std::vector<std::uint32_t> sequence_stage(std::span<const StageOperation> operations);

}  // namespace takt::schedulers
