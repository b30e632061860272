#include "pipeline/profiling/hang_watch.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "core/quiet_thread.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/work_watch.hpp"

namespace takt::pipeline {

HangWatch::HangWatch(Time deadline) {
  if (deadline > Time{0}) thread_ = quiet_thread([this, deadline] { run(deadline); });
}

HangWatch::~HangWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void HangWatch::run(Time deadline) {
  constexpr std::chrono::milliseconds between_looks{100};
  WorkWatch watch;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between_looks, [this] { return has_ended_; })) {
    const Activity activity = current_activity();
    const Time elapsed = watch.look(activity);
    if (elapsed <= deadline) continue;
    fmt::print(stderr, "takt: {}\n", hang_text(activity, elapsed));
    std::fflush(stderr);
    // Whatever is at work would be waited for otherwise.
    std::_Exit(1);
  }
}

}  // namespace takt::pipeline
