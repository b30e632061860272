#include "core/clock.hpp"

#include <time.h>

namespace takt {

void sleep_until(std::int64_t moment_ns) {
  const timespec moment{moment_ns / 1'000'000'000, moment_ns % 1'000'000'000};
  (void)::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nullptr);
}

}  // namespace takt
