#pragma once
/// Formatting of two rates for a comparison.

#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/units.hpp"

namespace takt {

/// Returns three significant digits if they differ; otherwise hertz with as many digits as distinguish the
/// rates, up to nine.
[[nodiscard]] inline std::pair<std::string, std::string> distinct_texts(Frequency a, Frequency b) {
  constexpr int most_digits = 9;
  std::pair texts{to_string(a), to_string(b)};
  for (int digits = 4; digits <= most_digits && a != b && texts.first == texts.second; ++digits)
    texts = {fmt::format("{:.{}g} Hz", a.hertz, digits), fmt::format("{:.{}g} Hz", b.hertz, digits)};
  return texts;
}

}  // namespace takt
