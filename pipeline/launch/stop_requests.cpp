#include "pipeline/launch/stop_requests.hpp"

namespace takt::pipeline {

namespace {
volatile sig_atomic_t stop_requests = 0;
volatile sig_atomic_t trigger_requests = 0;
int alive = 0;
}  // namespace

StopRequests::StopRequests() : triggers_before_(trigger_requests) {
  if (alive++ == 0) stop_requests = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { stop_requests = stop_requests + 1; };
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
  ::sigaction(SIGHUP, &action, &old_hang_up_);
  action.sa_handler = [](int) { trigger_requests = trigger_requests + 1; };
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
