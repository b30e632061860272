#include "sensors/frames/axis_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// Reads a number and an optional separator from the front of the text. Returns false if there is no
/// number.
template <class Number>
bool take_number(std::string_view& text, Number& number, char separator) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (text.empty()) return true;
  const bool is_separator = text.front() == separator;
  text.remove_prefix(1);
  return is_separator && !text.empty();
}

/// Longer axes, and longer ones with coordinates, are typing errors that would exhaust the memory.
constexpr std::size_t largest_axis = std::size_t{1} << 31;
constexpr std::size_t largest_axis_with_coordinates = std::size_t{1} << 24;

}  // namespace

Axis parse_axis(const std::string& text) {
  Axis axis;
  axis.name = text.substr(0, text.find('='));
  std::string_view rest = std::string_view(text).substr(std::min(axis.name.size() + 1, text.size()));
  double first = 0, step = 0;
  bool is_good = !axis.name.empty() && take_number(rest, axis.size, ':');
  const bool has_coordinates = !rest.empty();
  if (is_good && has_coordinates) is_good = take_number(rest, first, ':') && take_number(rest, step, ':');
  if (!is_good || !rest.empty() || !std::isfinite(first) || !std::isfinite(step))
    throw ConfigError(
        fmt::format("'{}' is not an axis: expected name=size or name=size:first:step, for example time=1024 "
                    "or channel=64:100e6:1e3",
                    text));
  const std::size_t largest = has_coordinates ? largest_axis_with_coordinates : largest_axis;
  if (axis.size < 1 || axis.size > largest)
    throw ConfigError(fmt::format("'{}' has a size out of range: expected 1 to {}", text, largest));
  for (std::size_t i = 0; has_coordinates && i < axis.size; ++i)
    axis.coordinates.push_back(first + static_cast<double>(i) * step);
  return axis;
}

}  // namespace takt::sensors
