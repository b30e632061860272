#pragma once
/// Ctrl-C and a closed terminal, as a number that is looked at between two steps.

#include <signal.h>

namespace takt::pipeline {

/// Counts SIGINT, SIGTERM and SIGHUP while it lives, in the place of ending the process. One at a time.
class StopRequests {
 public:
  StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;
  ~StopRequests();
  [[nodiscard]] int count() const;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
  struct sigaction old_hang_up_ {};
};

}  // namespace takt::pipeline
