#include "pipeline/kernels/frame_shapes.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace takt::pipeline {

std::size_t numbers_of(ElementType element) {
  return element == ElementType::complex_float32 ? 2 : 1;
}

AxisShape shape_of(const FrameType& type, std::string_view name, std::size_t input) {
  const auto axis = std::ranges::find(type.axes, name, &Axis::name);
  if ((type.element != ElementType::float32 && type.element != ElementType::complex_float32) ||
      axis == type.axes.end())
    throw InputError(
        fmt::format("expected float32 or complex_float32 with an axis '{}', got {}", name, type.to_string()),
        input);
  AxisShape shape;
  shape.dimension = static_cast<std::size_t>(axis - type.axes.begin());
  for (auto before = type.axes.begin(); before != axis; ++before) shape.outer *= before->size;
  shape.size = axis->size;
  shape.inner = numbers_of(type.element);
  for (auto behind = axis + 1; behind != type.axes.end(); ++behind) shape.inner *= behind->size;
  return shape;
}

double sample_rate(const FrameType& type) {
  const Axis* const time = type.find_axis("time");
  if (time == nullptr) return 0;
  if (time->coordinates.size() >= 2 && time->coordinates.back() > time->coordinates.front())
    return static_cast<double>(time->size - 1) / (time->coordinates.back() - time->coordinates.front());
  return type.rate_hz * static_cast<double>(time->size);
}

std::vector<double> even_times(std::size_t rows, double rate_hz) {
  std::vector<double> times;
  for (std::size_t i = 0; rate_hz > 0 && i < rows; ++i) times.push_back(static_cast<double>(i) / rate_hz);
  return times;
}

std::vector<double> numbers(const Parameters& parameters, std::string_view name) {
  std::vector<double> values;
  for (const std::string& text : parameters.texts(name)) {
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() || !std::isfinite(value))
      parameters.refuse(name, fmt::format("'{}' is no number", text));
    values.push_back(value);
  }
  return values;
}

ParameterSpec least_parameter(const char* help) {
  return {.name = "least",
          .type = ParameterType::number,
          .fallback = "0",
          .help = help,
          .minimum = 0,
          .maximum = 1,
          .may_change = true};
}

float least_count(double share, std::size_t inputs) {
  // 0.7 of 10 are 7, whatever 0.7 is in binary.
  constexpr double rounding = 1e-9;
  return static_cast<float>(std::max(std::ceil(share * static_cast<double>(inputs) - rounding), 1.0));
}

void merge_headers(std::span<const FrameView> inputs, FrameHeader& header) {
  header = *inputs.front().header;
  for (const FrameView& input : inputs.subspan(1)) {
    header.ingested_ns = std::max(header.ingested_ns, input.header->ingested_ns);
    header.parts += input.header->parts;
    header.missing_parts += input.header->missing_parts;
    header.missing_mask |= input.header->missing_mask;
  }
}

void mark_incomplete(FrameHeader& header) {
  header.parts = std::max<std::uint32_t>(header.parts, 1);
  header.missing_parts = std::max<std::uint32_t>(header.missing_parts, 1);
}

void shift_time(FrameHeader& header, double seconds) {
  header.utc_ns -= std::llround(seconds * 1e9);
}

}  // namespace takt::pipeline
