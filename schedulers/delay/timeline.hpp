#pragma once
/// The idle time of one processor or link, for schedulers with insertion.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

/// Idle intervals, one before each reservation and an infinite one after the last. Those between adjacent
/// reservations are empty. An operation of length 0 fits into them, as it fits everywhere except inside a
/// reservation; no operation spans a reservation of length 0.
///
/// A treap by time whose nodes store the longest interval of their subtree (R. Seidel, C. R. Aragon,
/// "Randomized search trees", Algorithmica 16, 1996). Priorities are hashed node numbers, so equal calls
/// build equal trees. For n reservations a call is O(log n) expected, O(1) if it uses the infinite interval;
/// O(n) memory.
class Timeline {
 public:
  /// Returns the earliest idle start, not before `from`, for an operation of `length`.
  [[nodiscard]] Time earliest(Time from, Time length) const;
  /// Reserves [start, start + length), which must be idle.
  void reserve(Time start, Time length);
  /// Removes all reservations. O(1).
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
    /// Longest interval of this subtree.
    Time longest;
    Index left = none;
    Index right = none;
  };

  [[nodiscard]] std::optional<Time> earliest_below(Index top, Time from, Time length) const;
  /// Returns the last gap that starts at `time` or before.
  [[nodiscard]] Node& gap_at(Time time);
  void add(Gap gap);
  /// Adds a node to the tree under `top`; returns the new top.
  Index insert(Index top, Index added);
  void refresh(Index index);

  std::vector<Node> nodes_;
  Index root_ = none;
  /// Start of the infinite gap, which is not in the tree.
  Time endless_{0};
};

}  // namespace takt::schedulers
