#include "pipeline/stages/frame_types.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace takt::pipeline {

using sensors::Axis;
using sensors::ElementType;
using sensors::FrameType;

namespace {

constexpr std::array elements{
    ElementType::int8,         ElementType::uint8,         ElementType::int16,
    ElementType::int32,        ElementType::float32,       ElementType::float64,
    ElementType::complex_int8, ElementType::complex_int16, ElementType::complex_float32};
/// Reads a number off the front of the text, and the character after it if there is one. False when there is
/// none.
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

/// Longer axes, and longer ones with coordinates, are slips of the pen that would fill the memory.
constexpr std::size_t largest_axis = std::size_t{1} << 31;
constexpr std::size_t largest_axis_with_coordinates = std::size_t{1} << 24;

/// `time=1024` or `channel=64:100e6:1e3`: name, size, and perhaps the first coordinate and the step.
Axis parse_axis(const std::string& text, const Parameters& parameters) {
  Axis axis;
  axis.name = text.substr(0, text.find('='));
  std::string_view rest = std::string_view(text).substr(std::min(axis.name.size() + 1, text.size()));
  double first = 0, step = 0;
  bool is_good = !axis.name.empty() && take_number(rest, axis.size, ':');
  const bool has_coordinates = !rest.empty();
  if (is_good && has_coordinates) is_good = take_number(rest, first, ':') && take_number(rest, step, ':');
  if (!is_good || !rest.empty() || !std::isfinite(first) || !std::isfinite(step))
    parameters.refuse("axes",
                      fmt::format("'{}' is no axis: expected name=size or name=size:first:step, for example "
                                  "time=1024 or channel=64:100e6:1e3",
                                  text));
  const std::size_t largest = has_coordinates ? largest_axis_with_coordinates : largest_axis;
  if (axis.size < 1 || axis.size > largest)
    parameters.refuse("axes", fmt::format("'{}' has a size out of range: expected 1 to {}", text, largest));
  for (std::size_t i = 0; has_coordinates && i < axis.size; ++i)
    axis.coordinates.push_back(first + static_cast<double>(i) * step);
  return axis;
}

}  // namespace

std::vector<Axis> axes_of(const Parameters& parameters) {
  std::vector<Axis> axes;
  for (const std::string& axis : parameters.texts("axes")) axes.push_back(parse_axis(axis, parameters));
  return axes;
}

FrameType frame_type_of(const Parameters& parameters) {
  FrameType type;
  const std::string element = parameters.text("element");
  type.element = *std::ranges::find(elements, element, [](ElementType each) { return name_of(each); });
  type.axes = axes_of(parameters);
  type.rate_hz = parameters.frequency("rate").hertz;
  type.unit = parameters.text("unit");
  return type;
}

std::vector<ParameterSpec> with_frame_type(const std::vector<ParameterSpec>& own) {
  std::vector<std::string> names;
  for (const ElementType element : elements) names.emplace_back(name_of(element));
  std::vector<ParameterSpec> all{
      {.name = "axes",
       .type = ParameterType::texts,
       .help = "name=size of each axis, slowest first; coordinates as name=size:first:step"},
      {.name = "element", .fallback = "float32", .help = "type of the elements", .choices = names},
      {.name = "rate",
       .type = ParameterType::frequency,
       .fallback = "0",
       .help = "frames a second; 0: as fast as they are taken"}};
  all.insert(all.end(), own.begin(), own.end());
  all.push_back({.name = "unit", .fallback = "", .help = "unit of the elements, for people"});
  return all;
}

}  // namespace takt::pipeline
