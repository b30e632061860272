#include "sensors/source.hpp"

#include <algorithm>

#include "core/system/clock.hpp"

namespace takt::sensors {

void add(SourceCounters& counters, const SourceCounters& more) {
  counters.ingested += more.ingested;
  counters.lost += more.lost;
  counters.dropped += more.dropped;
  counters.incomplete += more.incomplete;
  for (const Counter& each : more.details) {
    const auto same = std::ranges::find(counters.details, each.name, &Counter::name);
    if (same == counters.details.end()) {
      counters.details.push_back(each);
    } else if (each.name.ends_with("high_water")) {
      same->value = std::max(same->value, each.value);
    } else {
      same->value += each.value;
    }
  }
}

void Source::wait(std::int64_t latest_ns) {
  // A source that does not know its next frame's time is polled often.
  constexpr std::int64_t nap = 50'000;
  if (!next_frame_ns()) latest_ns = std::min(latest_ns, now_ns() + nap);
  sleep_until(latest_ns);
}

}  // namespace takt::sensors
