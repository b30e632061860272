#include "sensors/emulator/pace_clock.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/system/clock.hpp"

namespace takt::sensors {

namespace {

/// Longest single sleep, so that `stop` is noticed.
constexpr std::int64_t longest_sleep_ns = 50'000'000;

}  // namespace

std::int64_t PaceClock::now_ns() {
  return takt::now_ns();
}

void PaceClock::sleep_until(std::int64_t moment_ns, const std::atomic<bool>& stop) {
  for (std::int64_t now = now_ns(); now < moment_ns && !stop; now = now_ns())
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(moment_ns - now, longest_sleep_ns)));
}

}  // namespace takt::sensors
