#pragma once
/// The idle time of one processor, for schedulers that insert tasks between others.

#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

/// Idle intervals in order of time; the last one never ends. A search is O(log n + gaps looked at).
class Timeline {
 public:
  /// The earliest start, not before `from`, of an idle interval that holds `length`.
  [[nodiscard]] Time earliest(Time from, Time length) const;
  /// Occupies [start, start + length), which must be idle.
  void reserve(Time start, Time length);

 private:
  struct Gap {
    Time start;
    Time end;
  };
  std::vector<Gap> gaps_{{Time{0}, Time::max()}};
};

}  // namespace takt::schedulers
