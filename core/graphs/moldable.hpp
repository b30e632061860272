#pragma once
/// Moldable (data-parallel) tasks: their times as a function of the number of processors.
///
/// Such a task runs on a group of processors of a size chosen by its scheduler; they start and end together.
/// Its time must not increase with their number, and its work, time x processors, must not decrease. All
/// algorithms and their guarantees depend on these two rules.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace takt {

/// A task's time as a function of its processors.
struct MoldableProfile {
  struct Point {
    std::uint32_t processors = 1;
    Time time{0};
    friend bool operator==(const Point&, const Point&) = default;
  };

  /// The fraction of the work that does not run in parallel, in [0, 1]: T(p) = T(1) (serial + (1 - serial) /
  /// p). Source: Amdahl, "Validity of the single processor approach" (1967).
  double serial = 0;
  /// If not empty, replaces the law: times on 1, ... processors of speed 1, in ascending order of processors.
  /// Between two points the work is linear in the processors, which preserves both rules; beyond the last
  /// point further processors do not reduce the time.
  std::vector<Point> points = {};

  /// Returns the time on this many processors of speed 1, in ticks; `work` is that on one. O(log points).
  [[nodiscard]] double time(Time work, std::size_t processors) const;
  /// Returns the largest useful number of processors; empty if there is no such limit.
  [[nodiscard]] std::optional<std::size_t> limit() const;

  friend bool operator==(const MoldableProfile&, const MoldableProfile&) = default;
};

/// Returns the fault of a profile for a task with this work, and what was expected; empty if it is valid.
[[nodiscard]] std::string profile_fault(const MoldableProfile& profile, Time work);

/// Returns the least times that obey both rules and are not below the smallest measured ones so far: running
/// minimum of the times, then running maximum of the work, rounded up. For noisy measurements.
[[nodiscard]] std::vector<MoldableProfile::Point> monotone_hull(std::vector<MoldableProfile::Point> points);

}  // namespace takt
