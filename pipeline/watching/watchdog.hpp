#pragma once
/// Finds tasks and phases that do not come back, in every phase of a process's life.

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

/// Watches the thread that works, from another one, by what it says of its activity. It holds each piece of
/// work to its deadline, and once the user has asked to stop, work that was under way then to a moment.
class Watchdog {
 public:
  explicit Watchdog(Deadlines deadlines, std::int64_t now) : deadlines_(deadlines), absence_(now) {}

  /// What is known of a task.
  struct Task {
    /// Kernels never wait for others; the threads of sources and sinks may.
    bool is_kernel = true;
    /// How long 99 % of its frames took; 0: not known.
    Time usual{0};
  };
  struct Look {
    Activity activity;
    std::int64_t now = 0;
    AwaitedOutside awaited = {};
    /// asked_to_stop_at().
    std::optional<std::int64_t> asked_to_stop = {};
  };
  /// At each look, several a second: why the process is to be ended, as a sentence about the task and the
  /// phase; nothing while it is not. Time in which this process was not let run does not count. `task_of` is
  /// asked where it matters.
  [[nodiscard]] std::optional<std::string> look(const Look& look,
                                                const std::function<Task(std::string_view)>& task_of);

  /// How long work that is under way as the user asks to stop may go on, where it never took longer: more
  /// than a busy host delays work that is well, which must end in order.
  static constexpr Time grace{std::chrono::seconds{2}};
  /// How long a kernel may give its rest once the user has asked to stop, where its frames are short: what
  /// kernels keep is a few frames, which others downstream may take slowly.
  static constexpr Time rest_grace{std::chrono::seconds{5}};

 private:
  void follow(const Look& look);
  [[nodiscard]] std::optional<std::string> endless_rest(
      const Look& look, const std::function<Task(std::string_view)>& task_of) const;

  Deadlines deadlines_;
  Absence absence_;
  /// How long it was away since the kernel that gives its rest began with it.
  std::int64_t away_ns_ = 0, finishing_since_ns_ = 0;
  /// Activity::begun when it changed last, when that was noticed, and when it was last seen at that piece.
  std::uint64_t begun_ = 0;
  std::int64_t since_ns_ = 0, seen_ns_ = 0;
  /// The task at that piece, and the longest pieces from which tasks were seen to come back.
  std::string task_;
  std::map<std::string, Time, std::less<>> longest_;
};

}  // namespace takt::pipeline
