#include "core/tick_clock.hpp"

#include <fstream>
#include <string>

namespace takt {

bool TickClock::is_trusted() {
#if defined(__x86_64__)
  std::string clock;
  std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> clock;
  return clock == "tsc";
#else
  return false;
#endif
}

std::int64_t TickClock::set() {
  if (!is_used_) return now_ns();
  // From which on the rate is good to a thousandth. A look that takes longer, about a microsecond, was
  // interrupted.
  constexpr std::int64_t least_base_ns = 1'000'000;
  constexpr std::uint64_t longest_look = 4'000;
  const std::uint64_t before = ticks();
  const std::int64_t moment = now_ns();
  const std::uint64_t after = ticks();
  ns_a_tick_ = 0;
  if (after < before || after - before > longest_look) return moment;
  ticks_ = after;
  moment_ = moment;
  if (first_moment_ == 0) {
    first_ticks_ = after;
    first_moment_ = moment;
  }
  if (after > first_ticks_ && moment - first_moment_ >= least_base_ns)
    ns_a_tick_ = static_cast<double>(moment - first_moment_) / static_cast<double>(after - first_ticks_);
  return moment;
}

}  // namespace takt
