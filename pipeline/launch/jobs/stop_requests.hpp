#pragma once
/// Ctrl-C and a closed terminal, and the command that transient buffers are written, as numbers that are
/// looked at between two steps.

#include <signal.h>

namespace takt::pipeline {

/// Counts SIGINT, SIGTERM and SIGHUP while it lives, and SIGUSR2, in the place of ending the process. Where
/// one lives within another one, requests to stop that came before it count, too; whoever does several things
/// keeps one, and looks between them.
class StopRequests {
 public:
  StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;
  ~StopRequests();
  [[nodiscard]] int count() const;
  /// Of SIGUSR2, while this one lives.
  [[nodiscard]] int triggers() const;

 private:
  int triggers_before_;
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
  struct sigaction old_hang_up_ {};
  struct sigaction old_trigger_ {};
};

}  // namespace takt::pipeline
