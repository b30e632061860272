#include "schedulers/plan/required_rate.hpp"

#include <cctype>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/units.hpp"

namespace takt::schedulers {

RequiredRate parse_required_rate(std::string_view text) {
  const bool has_unit = !text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0;
  const double ticks_per_second = 1e9;
  const double frequency = parse_frequency(text).hertz / (has_unit ? ticks_per_second : 1);
  if (!(frequency > 0) || !std::isfinite(1 / frequency))
    throw ConfigError(fmt::format("a frequency of {}: expected more than 0", text));
  return {1 / frequency};
}

}  // namespace takt::schedulers
