#include "pipeline/launch/stop_requests.hpp"

namespace takt::pipeline {

namespace {
volatile sig_atomic_t stop_requests = 0;
}

StopRequests::StopRequests() {
  stop_requests = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { stop_requests = stop_requests + 1; };
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
  ::sigaction(SIGHUP, &action, &old_hang_up_);
}

StopRequests::~StopRequests() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
  ::sigaction(SIGHUP, &old_hang_up_, nullptr);
}

int StopRequests::count() const {
  return stop_requests;
}

}  // namespace takt::pipeline
