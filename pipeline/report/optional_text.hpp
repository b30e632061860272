#pragma once
/// Figures that may be missing, as text: `-` in their place.

#include <optional>
#include <string>

#include "core/units.hpp"

namespace takt::pipeline {

inline std::string optional_time(const std::optional<Time>& time) {
  return time ? to_string(*time) : "-";
}
inline std::string optional_hertz(const std::optional<double>& hertz) {
  return hertz ? to_string(Frequency{*hertz}) : "-";
}

}  // namespace takt::pipeline
