#pragma once
/// The watchdog: finds tasks and phases that hang, in every phase of a process.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/system/outside_wait.hpp"
#include "core/units.hpp"
#include "pipeline/watching/absence.hpp"
#include "pipeline/watching/activity.hpp"
#include "pipeline/watching/deadlines.hpp"

namespace takt::pipeline {

/// Monitors the working thread from another one, using its Activity. It enforces the deadline of each piece
/// of work, and after a stop request a short grace period for the work in progress.
class Watchdog {
 public:
  explicit Watchdog(Deadlines deadlines, std::int64_t now) : deadlines_(deadlines), absence_(now) {}

  /// Properties of a task.
  struct Task {
    /// Kernels never wait for other processes; the threads of sources and sinks may.
    bool is_kernel = true;
    /// Time of 99 % of its frames; 0: unknown.
    Time usual{0};
  };
  struct Look {
    Activity activity;
    std::int64_t now = 0;
    AwaitedOutside awaited = {};
    /// asked_to_stop_at().
    std::optional<std::int64_t> asked_to_stop = {};
  };
  /// Call at each look, several times a second. Returns why the process must end, as a sentence about the
  /// task and the phase, or nothing. Time in which this process did not run does not count. `task_of` is
  /// called when needed.
  [[nodiscard]] std::optional<std::string> look(const Look& look,
                                                const std::function<Task(std::string_view)>& task_of);

  /// Grace period for work in progress at a stop request, if it never took longer: longer than a busy host
  /// delays normal work, which must end in order.
  static constexpr Time grace{std::chrono::seconds{2}};
  /// Grace period for flushing a kernel after a stop request, if its frames are short: a kernel holds only a
  /// few frames, which slow downstream stages may still process.
  static constexpr Time rest_grace{std::chrono::seconds{5}};

 private:
  void follow(const Look& look);
  [[nodiscard]] std::optional<std::string> endless_flush(
      const Look& look, const std::function<Task(std::string_view)>& task_of) const;

  Deadlines deadlines_;
  Absence absence_;
  /// Absence since the current kernel began to be flushed.
  std::int64_t away_ns_ = 0, finishing_since_ns_ = 0;
  /// Activity::begun at its last change, when that was noticed, and when this piece of work was last seen.
  std::uint64_t begun_ = 0;
  std::int64_t since_ns_ = 0, seen_ns_ = 0;
  /// The task of that piece of work, and the longest pieces from which tasks have returned.
  std::string task_;
  std::map<std::string, Time, std::less<>> longest_;
};

}  // namespace takt::pipeline
