#pragma once
/// The order of one stage's operations, with gaps between messages filled with work.

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "schedulers/search/stage_search.hpp"

namespace takt::schedulers {

/// An operation of a stage, once per iteration.
struct StageOperation {
  OperationKind kind = OperationKind::compute;
  Time length{0};
  /// Least time from the start of a send or receive to the next one of the same kind.
  Time gap{0};
  /// Other operations of the stage that must precede it.
  std::vector<std::uint32_t> needs;
};

/// Orders that respect `needs` and keep the stage's time from start to end short, if every input is available
/// in time.
///
/// Simulates the stage: whenever it is free it sends what is ready, if the gap allows; otherwise it receives;
/// otherwise it computes what is ready; otherwise it waits for a gap to end. It first computes and receives
/// the inputs of the send with the least work before it, then of the next such send, and so on; the rest by
/// number. O(n (s + log n)) for n operations, s of them sends.
class StageSequence {
 public:
  /// Borrows the operations; their `needs` must not be circular.
  explicit StageSequence(std::span<const StageOperation> operations);

  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }
  /// Returns the time from the start of the first operation to the end of the last one.
  [[nodiscard]] Time span() const { return span_; }
  /// Returns a bound: no order has a smaller span than the work, or a smaller period than the gaps.
  [[nodiscard]] Time least() const { return least_; }

  /// Changes the preference of some operations, `tries` times, and keeps orders that are no longer
  /// (reproducible for equal random numbers); returns whether the span has decreased. O(n log n) a try.
  bool improve(std::size_t tries, SearchRandom& random);

 private:
  std::span<const StageOperation> operations_;
  /// Per operation: its position in the order of preference.
  std::vector<std::uint32_t> ranks_;
  std::vector<std::uint32_t> order_;
  Time span_{0}, least_{0};
};

/// The first orders, or improved ones.
enum class Sequencing : std::uint8_t { first, improved };

/// Returns the orders of all stages. With Sequencing::improved the longest ones are improved within a budget
/// of steps, as long as they take longer than the bound of all stages.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> sequence_stages(
    std::span<const std::vector<StageOperation>> stages, Sequencing sequencing);

}  // namespace takt::schedulers
