#include "pipeline/launch/interrupt_watch.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "core/system/quiet_thread.hpp"

namespace takt::pipeline {

InterruptWatch::InterruptWatch() : thread_(quiet_thread([this] { run(); })) {}

InterruptWatch::~InterruptWatch() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void InterruptWatch::run() {
  constexpr std::chrono::milliseconds between_looks{20};
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between_looks, [this] { return has_ended_; })) {
    if (stop_requests_.count() == 0) continue;
    fmt::print(stderr, "takt: interrupted while the tasks were measured\n");
    std::fflush(stderr);
    std::_Exit(1);
  }
}

std::vector<StageCost> profile_in_this_process(const Pipeline& pipeline, const ProfileOptions& options) {
  const InterruptWatch interrupt_watch;
  return profile_with_groups(pipeline, options);
}

}  // namespace takt::pipeline
