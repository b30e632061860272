#include "core/system/tick_clock.hpp"

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
  // The rate is measured over an interval of this length: a shorter one is not accurate to a thousandth, and
  // a longer one would not show that a virtual machine has moved to another host. A reading that takes
  // longer, about a microsecond, was interrupted.
  constexpr std::int64_t least_base_ns = 1'000'000, longest_base_ns = 1'000'000'000;
  constexpr std::uint64_t longest_look = 4'000;
  const std::uint64_t before = ticks();
  const std::int64_t moment = now_ns();
  const std::uint64_t after = ticks();
  is_set_ = false;
  if (after < before || after - before > longest_look) return moment;
  ticks_ = after;
  moment_ = moment;
  const std::int64_t base = first_moment_ == 0 ? longest_base_ns : moment - first_moment_;
  if (first_moment_ != 0 && after > first_ticks_ && base >= least_base_ns)
    ns_per_tick_ = static_cast<double>(base) / static_cast<double>(after - first_ticks_);
  is_set_ = ns_per_tick_ > 0;
  if (base >= longest_base_ns) {
    first_ticks_ = after;
    first_moment_ = moment;
  }
  return moment;
}

}  // namespace takt
