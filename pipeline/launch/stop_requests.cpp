#include "pipeline/launch/stop_requests.hpp"

namespace takt::pipeline {

namespace {
volatile sig_atomic_t stop_requests = 0;
volatile sig_atomic_t trigger_requests = 0;
}  // namespace

StopRequests::StopRequests() {
  stop_requests = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { stop_requests = stop_requests + 1; };
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
  ::sigaction(SIGHUP, &action, &old_hang_up_);
  trigger_requests = 0;
  action.sa_handler = [](int) { trigger_requests = trigger_requests + 1; };
  ::sigaction(SIGUSR2, &action, &old_trigger_);
}

StopRequests::~StopRequests() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
  ::sigaction(SIGHUP, &old_hang_up_, nullptr);
  ::sigaction(SIGUSR2, &old_trigger_, nullptr);
}

int StopRequests::count() const {
  return stop_requests;
}

int StopRequests::triggers() const {
  return trigger_requests;
}

}  // namespace takt::pipeline
