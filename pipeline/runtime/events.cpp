#include "pipeline/runtime/events.hpp"

#include <algorithm>
#include <cmath>

namespace takt::pipeline {

namespace {

using sensors::ElementType;
using sensors::FrameType;
using sensors::FrameView;
using sensors::UtcSpan;

/// Float64 seconds since 1970 are exact to 0.24 us: an event counts as a microsecond long.
constexpr std::int64_t event_ns = 1000;

std::optional<UtcSpan> span_of_times(std::span<const double> values, std::size_t fields) {
  std::optional<UtcSpan> span;
  for (std::size_t at = 0; at + fields <= values.size(); at += fields) {
    if (std::isnan(values[at])) continue;
    const std::int64_t utc_ns = std::llround(values[at] * 1e9);
    if (!span) span = UtcSpan{utc_ns, utc_ns + event_ns};
    span->from_ns = std::min(span->from_ns, utc_ns);
    span->until_ns = std::max(span->until_ns, utc_ns + event_ns);
  }
  return span;
}

template <class Real>
bool has_value(std::span<const Real> values) {
  return std::ranges::any_of(values, [](Real value) { return value != 0 && !std::isnan(value); });
}

bool has_value(const FrameType& type, const FrameView& frame) {
  switch (type.element) {
    case ElementType::float32:
    case ElementType::complex_float32:
      return has_value(frame.as<float>());
    case ElementType::float64:
      return has_value(frame.as<double>());
    default:
      return std::ranges::any_of(frame.bytes.first(type.data_size().count),
                                 [](std::byte byte) { return byte != std::byte{0}; });
  }
}

}  // namespace

std::optional<UtcSpan> find_event(const FrameType& type, const FrameView& frame) {
  const bool has_times = type.element == ElementType::float64 && type.axes.size() == 2 &&
                         type.axes[0].name == "event" && type.axes[1].name == "field";
  if (has_times) return span_of_times(frame.as<double>(), type.axes[1].size);
  if (!has_value(type, frame)) return std::nullopt;
  const std::int64_t from = frame.header->utc_ns;
  return UtcSpan{from, from + (type.rate_hz > 0 ? std::llround(1e9 / type.rate_hz) : 1)};
}

}  // namespace takt::pipeline
