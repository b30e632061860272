#pragma once
/// Moldable (data-parallel) tasks: how long they take on how many processors.
///
/// A task of this kind runs on a group of processors, as many as its scheduler gives it; they start and end
/// together. Its time must not rise with their number, and its work, time x processors, must not fall: on
/// these two rest all algorithms and the guarantees among them.

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

  /// The part of the work that does not run in parallel, in [0, 1]: T(p) = T(1) (serial + (1 - serial) / p).
  /// Source: Amdahl, "Validity of the single processor approach" (1967).
  double serial = 0;
  /// Where there are any, the law is not used: times on 1, ... processors of speed 1, in ascending order of
  /// processors. Between two points the work is linear in the processors, which keeps both rules; more
  /// processors than the last point has are no faster.
  std::vector<Point> points = {};

  /// Time on so many processors of speed 1, in ticks; `work` is that on one. O(log points).
  [[nodiscard]] double time(Time work, std::size_t processors) const;
  /// The most processors that are of any use; nothing where there is no such limit.
  [[nodiscard]] std::optional<std::size_t> limit() const;

  friend bool operator==(const MoldableProfile&, const MoldableProfile&) = default;
};

/// What is wrong with a profile of a task with so much work, and what was expected; empty when it is sound.
[[nodiscard]] std::string profile_fault(const MoldableProfile& profile, Time work);

/// The least times that are not below the least measured ones so far and obey both rules: running minimum of
/// the times, then running maximum of the work, rounded up. For measurements with noise or cache effects.
[[nodiscard]] std::vector<MoldableProfile::Point> monotone_hull(std::vector<MoldableProfile::Point> points);

}  // namespace takt
