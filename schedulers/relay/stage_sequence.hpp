#pragma once
/// The order of what one stage does, so that gaps between messages are filled with work.

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "schedulers/search/stage_search.hpp"

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

/// Orders that respect `needs` and keep the stage's time from start to end short, where everything that is to
/// be received may be there when wanted.
///
/// Walks through time: whenever the stage is free it sends what is ready, if the gap allows; otherwise it
/// receives; otherwise it computes what is ready; otherwise it waits for a gap to end. What it computes and
/// receives first is what the send with the least work before it needs, then the next such send, and so on;
/// the rest by its number. O(n (s + log n)) for n operations, s of them sends.
class StageSequence {
 public:
  /// Borrows the operations; their `needs` must not be circular.
  explicit StageSequence(std::span<const StageOperation> operations);

  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }
  /// From the start of the first operation to the end of the last one.
  [[nodiscard]] Time span() const { return span_; }
  /// No order has a smaller span than the work, or repeats sooner than the gaps allow.
  [[nodiscard]] Time least() const { return least_; }

  /// Gives some operations other places in the order of preference, so many times, and keeps what takes no
  /// longer (the same random numbers, the same orders); whether the span is smaller then. O(n log n) a try.
  bool improve(std::size_t tries, SearchRandom& random);

 private:
  std::span<const StageOperation> operations_;
  /// Of each operation, its place in the order of preference.
  std::vector<std::uint32_t> ranks_;
  std::vector<std::uint32_t> order_;
  Time span_{0}, least_{0};
};

/// The first orders, or better ones.
enum class Sequencing : std::uint8_t { first, improved };

/// The orders of all stages. Those that take longest are improved, if that is asked for, as far as a budget
/// of steps lasts, and as long as they take longer than every stage must.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> sequence_stages(
    std::span<const std::vector<StageOperation>> stages, Sequencing sequencing);

}  // namespace takt::schedulers
