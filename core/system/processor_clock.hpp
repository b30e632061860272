#pragma once
/// A thread's CPU time, and its time in the run queue.

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace takt {

/// Since the thread's start.
struct ProcessorTimes {
  std::uint64_t used_ns = 0;
  /// Time in which it was runnable and another thread had its processor.
  std::uint64_t delayed_ns = 0;
};

/// The times of one thread of this process. Source: /proc/<pid>/schedstat,
/// Documentation/scheduler/sched-stats.rst of Linux.
class ProcessorClock {
 public:
  /// The calling thread, or another one by its number.
  ProcessorClock();
  explicit ProcessorClock(pid_t thread);
  ProcessorClock(const ProcessorClock&) = delete;
  ProcessorClock& operator=(const ProcessorClock&) = delete;
  ~ProcessorClock();

  /// Returns the times; empty if unknown. One system call.
  [[nodiscard]] std::optional<ProcessorTimes> now() const;

 private:
  int file_ = -1;
};

}  // namespace takt
