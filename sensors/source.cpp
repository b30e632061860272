#include "sensors/source.hpp"

#include <algorithm>

#include <time.h>

#include "core/clock.hpp"

namespace takt::sensors {

void Source::wait(std::int64_t latest_ns) {
  // A source that cannot say when a frame comes is asked often.
  constexpr std::int64_t nap = 50'000;
  const std::int64_t length = std::min(nap, latest_ns - now_ns());
  if (length <= 0) return;
  const timespec time{0, length};
  ::nanosleep(&time, nullptr);
}

}  // namespace takt::sensors
