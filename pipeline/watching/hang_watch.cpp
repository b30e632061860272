#include "pipeline/watching/hang_watch.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "core/system/clock.hpp"
#include "core/system/quiet_thread.hpp"
#include "pipeline/watching/activity.hpp"
#include "pipeline/watching/watchdog.hpp"

namespace takt::pipeline {

HangWatch::HangWatch(const Deadlines& deadlines)
    : thread_(quiet_thread([this, deadlines] { run(deadlines); })) {}

HangWatch::~HangWatch() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void HangWatch::run(const Deadlines& deadlines) {
  constexpr std::chrono::milliseconds between_looks{100};
  Watchdog watchdog(deadlines, now_ns());
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between_looks, [this] { return has_ended_; })) {
    const auto finding =
        watchdog.look({.activity = current_activity(), .now = now_ns(), .awaited = awaited_outside()},
                      [](std::string_view) { return Watchdog::Task{}; });
    if (!finding) continue;
    // Launchers parse this as the crash report of a rank.
    const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
    fmt::print(stderr, "takt: {}{}\n", rank == nullptr ? "" : fmt::format("rank {}: ", rank), *finding);
    std::fflush(stderr);
    // A regular exit would wait for the running work.
    std::_Exit(1);
  }
}

}  // namespace takt::pipeline
