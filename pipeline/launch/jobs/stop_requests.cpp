#include "pipeline/launch/jobs/stop_requests.hpp"

#include <atomic>

namespace takt::pipeline {

namespace {
std::atomic<int> stop_requests = 0, trigger_requests = 0;
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers count them, and other threads look");
int alive = 0;
}  // namespace

StopRequests::StopRequests() : triggers_before_(trigger_requests) {
  if (alive++ == 0) stop_requests = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { ++stop_requests; };
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
  ::sigaction(SIGHUP, &action, &old_hang_up_);
  action.sa_handler = [](int) { ++trigger_requests; };
  ::sigaction(SIGUSR2, &action, &old_trigger_);
}

StopRequests::~StopRequests() {
  --alive;
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
  ::sigaction(SIGHUP, &old_hang_up_, nullptr);
  ::sigaction(SIGUSR2, &old_trigger_, nullptr);
}

int StopRequests::count() const {
  return stop_requests;
}

int StopRequests::triggers() const {
  return trigger_requests - triggers_before_;
}

}  // namespace takt::pipeline
