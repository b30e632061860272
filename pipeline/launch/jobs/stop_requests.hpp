#pragma once
/// Counts signals that request a stop (Ctrl-C, a closed terminal) or the writing of transient buffers, for
/// polling.

#include <signal.h>

namespace takt::pipeline {

/// During its lifetime it counts SIGINT, SIGTERM and SIGHUP, and SIGUSR2, which then do not end the process.
/// A nested object includes earlier stop requests, so a sequence of steps keeps one object and polls it
/// between steps.
class StopRequests {
 public:
  StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;
  ~StopRequests();
  [[nodiscard]] int count() const;
  /// Returns the number of SIGUSR2 since its construction.
  [[nodiscard]] int triggers() const;

 private:
  int triggers_before_;
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
  struct sigaction old_hang_up_ {};
  struct sigaction old_trigger_ {};
};

}  // namespace takt::pipeline
