#pragma once
/// The idle time of one processor, or of one link, for schedulers that insert between what is there already.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

/// Idle intervals, one before each reservation and an endless one after the last. Those between reservations
/// that touch are empty: something of no length fits into them, as it fits everywhere but inside a
/// reservation; and nothing fits over something of no length.
///
/// A treap by time whose nodes know the longest interval below them (R. Seidel, C. R. Aragon, "Randomized
/// search trees", Algorithmica 16, 1996), with the priorities scrambled from the nodes' numbers, so that
/// equal calls build equal trees. For n reservations a call is O(log n) expected, O(1) where it asks for the
/// endless interval; O(n) memory.
class Timeline {
 public:
  /// The earliest start, not before `from`, of `length` that is idle.
  [[nodiscard]] Time earliest(Time from, Time length) const;
  /// Occupies [start, start + length), which must be idle.
  void reserve(Time start, Time length);
  /// Everything is idle again. O(1).
  void clear() {
    nodes_.clear();
    root_ = none;
    endless_ = Time{0};
  }

 private:
  using Index = std::uint32_t;
  static constexpr Index none = UINT32_MAX;
  struct Gap {
    Time start;
    Time end;
    auto operator<=>(const Gap&) const = default;
  };
  struct Node {
    Gap gap;
    /// Of this gap and all below.
    Time longest;
    Index left = none;
    Index right = none;
  };

  [[nodiscard]] std::optional<Time> earliest_below(Index top, Time from, Time length) const;
  /// The last gap that starts at `time` or before.
  [[nodiscard]] Node& gap_at(Time time);
  void add(Gap gap);
  /// Adds a node to the tree under `top`; returns the top that it has then.
  Index insert(Index top, Index added);
  void refresh(Index index);

  std::vector<Node> nodes_;
  Index root_ = none;
  /// Where the endless gap starts; it is not in the tree.
  Time endless_{0};
};

}  // namespace takt::schedulers
