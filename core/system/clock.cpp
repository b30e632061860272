#include "core/system/clock.hpp"

#include <time.h>

namespace takt {

std::int64_t thread_processor_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1'000'000'000 * std::int64_t{time.tv_sec} + time.tv_nsec;
}

void sleep_until(std::int64_t moment_ns) {
  const timespec moment{moment_ns / 1'000'000'000, moment_ns % 1'000'000'000};
  (void)::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nullptr);
}

}  // namespace takt
