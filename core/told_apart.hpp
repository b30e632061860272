#pragma once
/// Two rates that are compared, as text.

#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/units.hpp"

namespace takt {

/// Three digits for people where they differ; otherwise in hertz, with as many more digits as it takes to
/// tell them apart, up to nine.
[[nodiscard]] inline std::pair<std::string, std::string> told_apart(Frequency a, Frequency b) {
  constexpr int most_digits = 9;
  std::pair texts{to_string(a), to_string(b)};
  for (int digits = 4; digits <= most_digits && a != b && texts.first == texts.second; ++digits)
    texts = {fmt::format("{:.{}g} Hz", a.hertz, digits), fmt::format("{:.{}g} Hz", b.hertz, digits)};
  return texts;
}

}  // namespace takt
