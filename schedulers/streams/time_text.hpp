#pragma once
/// Times in sentences about streams: measured ones with their unit, abstract ones in ticks.

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/units.hpp"

namespace takt::schedulers {

inline std::string time_text(double ticks, bool is_measured) {
  if (!is_measured) return fmt::format("{:.6g}", ticks);
  return to_string(Time(static_cast<Time::rep>(std::llround(ticks))));
}

inline std::string time_text(Time time, bool is_measured) {
  return is_measured ? to_string(time) : fmt::format("{}", time.count());
}

}  // namespace takt::schedulers
