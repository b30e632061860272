#include "pipeline/kernels/frame_shapes.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/pictures/figure_text.hpp"
#include "sensors/frames/missing_values.hpp"

namespace takt::pipeline {

std::size_t numbers_of(ElementType element) {
  return element == ElementType::complex_float32 ? 2 : 1;
}

std::string advice_to_power(const FrameType& type) {
  const std::string advice = advice_to_unpack(type);
  if (!is_complex(type.element)) return advice;
  if (advice.empty()) return ": {kernel: stokes} computes powers of complex numbers";
  return advice + ", followed by {kernel: stokes}, which computes powers of complex numbers";
}

AxisShape real_shape_of(const FrameType& type, std::string_view name, bool is_first) {
  const auto axis = std::ranges::find(type.axes, name, &Axis::name);
  if (type.element != ElementType::float32 || axis == type.axes.end() ||
      (is_first && axis != type.axes.begin()))
    throw InputError(
        fmt::format("expected float32{}, got {}{}",
                    is_first ? fmt::format("[{}]...", name) : fmt::format(" with an axis '{}'", name),
                    type.to_string(), advice_to_power(type)));
  return shape_of(type, name);
}

AxisShape shape_of(const FrameType& type, std::string_view name, std::size_t input) {
  const auto axis = std::ranges::find(type.axes, name, &Axis::name);
  if ((type.element != ElementType::float32 && type.element != ElementType::complex_float32) ||
      axis == type.axes.end())
    throw InputError(fmt::format("expected float32 or complex_float32 with an axis '{}', got {}{}", name,
                                 type.to_string(), advice_to_unpack(type)),
                     input);
  AxisShape shape;
  shape.dimension = static_cast<std::size_t>(axis - type.axes.begin());
  for (auto before = type.axes.begin(); before != axis; ++before) shape.outer *= before->size;
  shape.size = axis->size;
  shape.inner = numbers_of(type.element);
  for (auto behind = axis + 1; behind != type.axes.end(); ++behind) shape.inner *= behind->size;
  return shape;
}

void require_steady(const FrameType& type, std::size_t input) {
  try {
    sensors::require_unbroken(type);
  } catch (const ConfigError& error) {
    throw InputError(error.message(), input);
  }
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
      parameters.refuse(name, fmt::format("'{}' is not a number", text));
    values.push_back(value);
  }
  return values;
}

std::vector<double> colon_numbers(const Parameters& parameters, const char* name, const std::string& text,
                                  std::size_t count, const char* example) {
  std::vector<double> values;
  std::string_view rest = text;
  while (values.size() < count) {
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) break;
    values.push_back(value);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.empty() || rest.front() != ':') break;
    rest.remove_prefix(1);
  }
  if (values.size() != count || !rest.empty())
    parameters.refuse(name, fmt::format("'{}' is not valid: expected for example {}", text, example));
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
  // 0.7 of 10 must be 7 despite binary rounding.
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

void mark_nan(const FrameBuffer& output) {
  if (output.header->missing_parts == 0 && sensors::any_nan(output.as<float>()))
    mark_incomplete(*output.header);
}

void OneTime::require(std::span<const FrameType> inputs) {
  require_one_time(inputs);
  const FrameType& type = inputs.front();
  sample_hz_ = type.find_axis("time") != nullptr ? sample_rate(type) : type.rate_hz;
}

void OneTime::merge(std::span<const FrameView> inputs, FrameHeader& header) const {
  merge_headers(inputs, header);
  if (!(sample_hz_ > 0)) return;
  // Each kernel on the path rounds UTC to nanoseconds.
  constexpr double rounding_ns = 16;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    // Frames of different sources are aligned to the nearest row, and their clocks differ.
    if (inputs[i].header->source != header.source) continue;
    const auto apart_ns = static_cast<double>(inputs[i].header->utc_ns - header.utc_ns);
    if (std::abs(apart_ns) > 0.5e9 / sample_hz_ + rounding_ns)
      throw WorkError(fmt::format(
          "its inputs have different times: frame {} of input {} begins {} ({:.6g} samples) {} than that of "
          "the first input; a kernel that shifts utc_ns must set its output's start_s",
          header.sequence, i + 1, time_text(std::abs(apart_ns)), std::abs(apart_ns) * 1e-9 * sample_hz_,
          apart_ns < 0 ? "earlier" : "later"));
  }
}

Lag::Lag(const FrameType& input, double samples, FrameType& output) {
  const double rate = sample_rate(input);
  if (rate > 0) seconds_ = samples / rate;
  const Axis* const time = input.find_axis("time");
  output.start_s =
      input.start_s - (rate > 0 || time == nullptr ? seconds_ : samples / static_cast<double>(time->size));
}

Lag Lag::of_time(const FrameType& input, double seconds, FrameType& output) {
  Lag lag;
  lag.seconds_ = seconds;
  output.start_s = input.start_s - seconds;
  return lag;
}

void Lag::shift(FrameHeader& header) const {
  header.utc_ns -= std::llround(seconds_ * 1e9);
}

}  // namespace takt::pipeline
