#include "pipeline/profiling/hang_watch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "pipeline/activity.hpp"
#include "pipeline/profiling/quiet_thread.hpp"

namespace takt::pipeline {

HangWatch::HangWatch(Time deadline) {
  if (deadline > Time{0}) thread_ = start_without_signals([this, deadline] { run(deadline); });
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
  using Clock = std::chrono::steady_clock;
  // A process that was stopped meanwhile has not worked so long: no look counts for more than a few.
  constexpr std::chrono::milliseconds between_looks{100}, longest_look = 3 * between_looks;
  Activity seen;
  Time elapsed{0};
  auto looked = Clock::now();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between_looks, [this] { return has_ended_; })) {
    const Activity now = current_activity();
    const auto moment = Clock::now();
    elapsed += std::min<Time>(longest_look, moment - std::exchange(looked, moment));
    if (now.task == nullptr || now.begun != seen.begun) {
      seen = now;
      elapsed = Time{0};
    }
    if (elapsed <= deadline) continue;
    fmt::print(stderr, "takt: {}\n", hang_text(now, elapsed));
    std::fflush(stderr);
    // Whatever is at work would be waited for otherwise.
    std::_Exit(1);
  }
}

}  // namespace takt::pipeline
