#include "pipeline/stages/frame_types.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "sensors/frames/axis_text.hpp"

namespace takt::pipeline {

using sensors::Axis;
using sensors::ElementType;
using sensors::FrameType;

namespace {

constexpr std::array elements{
    ElementType::int8,          ElementType::uint8,          ElementType::int16,
    ElementType::uint16,        ElementType::int32,          ElementType::float32,
    ElementType::float64,       ElementType::complex_int8,   ElementType::complex_uint8,
    ElementType::complex_int16, ElementType::complex_uint16, ElementType::complex_float32};

}  // namespace

std::vector<Axis> axes_of(const Parameters& parameters) {
  std::vector<Axis> axes;
  try {
    for (const std::string& axis : parameters.texts("axes")) axes.push_back(sensors::parse_axis(axis));
  } catch (const ConfigError& error) {
    parameters.refuse("axes", error.what());
  }
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
       .help = "frames per second; 0: as fast as possible"}};
  all.insert(all.end(), own.begin(), own.end());
  all.push_back({.name = "unit", .fallback = "", .help = "unit of the elements, for display"});
  return all;
}

}  // namespace takt::pipeline
