#include "sensors/source.hpp"

#include <algorithm>

#include "core/clock.hpp"

namespace takt::sensors {

void Source::wait(std::int64_t latest_ns) {
  // A source that cannot say when a frame comes is asked often.
  constexpr std::int64_t nap = 50'000;
  if (!next_frame_ns()) latest_ns = std::min(latest_ns, now_ns() + nap);
  sleep_until(latest_ns);
}

}  // namespace takt::sensors
