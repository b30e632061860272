#include "sensors/frames/counter.hpp"

#include <string_view>

#include <fmt/format.h>

namespace takt::sensors {

std::string refusals(const std::vector<Counter>& counters) {
  constexpr std::string_view prefix = "refused_";
  std::string text;
  for (const Counter& counter : counters)
    if (counter.value > 0 && counter.name.starts_with(prefix))
      text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", counter.value,
                          counter.name.substr(prefix.size()));
  return text;
}

}  // namespace takt::sensors
