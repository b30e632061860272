#pragma once
/// Deadlines for the work of tasks.

#include <chrono>

#include "core/units.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

/// One deadline for each kind of work (Deadline); 0: unlimited. Keys `setup_deadline`, `deadline` and
/// `end_deadline` of `deployment`.
struct Deadlines {
  /// For one piece of work before the stream: a constructor, configure, open, start, the calibration.
  Time set_up{std::chrono::seconds{60}};
  /// For one call for a frame, unless 99 % of the task's frames took a hundredth of it or more.
  Time frame{std::chrono::seconds{10}};
  /// For all flushing of a kernel, and for one close or destructor.
  Time end{std::chrono::seconds{60}};

  /// Returns 0 for Deadline::none.
  [[nodiscard]] Time of(Deadline deadline) const {
    switch (deadline) {
      case Deadline::set_up:
        return set_up;
      case Deadline::frame:
        return frame;
      case Deadline::end:
        return end;
      case Deadline::none:
        break;
    }
    return Time{0};
  }
};

/// Returns the key of `deployment` that sets it.
[[nodiscard]] constexpr const char* key_of(Deadline deadline) {
  return deadline == Deadline::set_up ? "setup_deadline"
         : deadline == Deadline::end  ? "end_deadline"
                                      : "deadline";
}

}  // namespace takt::pipeline
