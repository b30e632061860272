#pragma once
/// Whether the task at work comes back.

#include <cstdint>

#include "core/clock.hpp"
#include "core/units.hpp"
#include "pipeline/absence.hpp"
#include "pipeline/activity.hpp"

namespace takt::pipeline {

/// Watches the thread that works from another one.
class WorkWatch {
 public:
  /// At each look, several a second: for how long the task has been at one piece of work, as far as was seen;
  /// 0 where none is at work. Time in which this process was not let run does not count.
  Time look(const Activity& activity, std::int64_t now = now_ns()) {
    since_ns_ += absence_.until(now);
    if (activity.task == nullptr || activity.begun != begun_) {
      begun_ = activity.begun;
      since_ns_ = now;
    }
    return Time(now - since_ns_);
  }

 private:
  /// Activity::begun when it changed last, and when that was noticed.
  std::uint64_t begun_ = 0;
  std::int64_t since_ns_ = 0;
  Absence absence_{now_ns()};
};

}  // namespace takt::pipeline
