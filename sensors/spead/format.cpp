#include "sensors/spead/format.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// Fits a datagram together with the largest number of items.
constexpr std::size_t most_heap_payload = 65'000;
constexpr std::size_t largest_heap = std::size_t{1} << 32;

}  // namespace

std::size_t numbers_of(ElementType element) {
  return name_of(element).starts_with("complex") ? 2 : 1;
}

std::size_t number_bytes(ElementType element) {
  return size_of(element) / numbers_of(element);
}

std::size_t SpeadFormat::sample_bytes() const {
  return frame.element_count() * size_of(element) / heaps;
}

std::size_t SpeadFormat::packet_count() const {
  const std::size_t whole = whole_bytes(), first = std::min(first_bytes(), whole);
  return 1 + (whole - first + payload_bytes - 1) / payload_bytes;
}

std::size_t SpeadFormat::first_packet() const {
  return offset < first_bytes() ? 0 : 1 + (offset - first_bytes()) / payload_bytes;
}

std::size_t SpeadFormat::sample_packets() const {
  std::size_t end = first_packet();
  while (end < packet_count() && begin_of(end) < offset + sample_bytes()) ++end;
  return end - first_packet();
}

void validate(const SpeadFormat& format) {
  const auto refuse = [](const char* option, const std::string& message) {
    throw OptionError(option, message);
  };
  if (format.payload_bytes < 1 || format.payload_bytes > most_heap_payload)
    refuse("payload", fmt::format("a payload of {} bytes is out of range: expected 1 to {}",
                                  format.payload_bytes, most_heap_payload));
  if (format.first_payload_bytes > format.payload_bytes)
    refuse("first_payload",
           fmt::format("a first payload of {} bytes exceeds the payload of {}: expected at most that",
                       format.first_payload_bytes, format.payload_bytes));
  const std::size_t elements = format.frame.element_count();
  if (format.heaps < 1 || elements % std::max<std::size_t>(format.heaps, 1) != 0)
    refuse("heaps", fmt::format("a frame of {} elements is not divisible into {} heaps: expected a divisor",
                                elements, format.heaps));
  if (format.heaps > 1) {
    const auto first =
        std::ranges::find_if(format.frame.axes, [](const Axis& axis) { return axis.size > 1; });
    if (first == format.frame.axes.end() || first->name != "time" || first->size % format.heaps != 0)
      refuse("heaps",
             fmt::format("{} heaps per frame: expected the axis 'time' first, its size a multiple of {}",
                         format.heaps, format.heaps));
  }
  if (format.heap_bytes > 0 && format.heap_bytes < format.offset + format.sample_bytes())
    refuse("heap", fmt::format("a heap of {} bytes is too small for {} bytes of samples from byte {}",
                               format.heap_bytes, format.sample_bytes(), format.offset));
  if (format.whole_bytes() > largest_heap || format.whole_bytes() == 0)
    refuse("axes",
           fmt::format("heaps of {} bytes are not valid: expected 1 byte to 4 GiB", format.whole_bytes()));
  const std::size_t number = number_bytes(format.element);
  if (format.offset % number != 0 || format.first_bytes() % number != 0 || format.payload_bytes % number != 0)
    refuse("payload",
           fmt::format("payloads of {} and {} bytes from byte {} split samples: expected multiples of {}",
                       format.first_bytes(), format.payload_bytes, format.offset, number));
  if (!(format.frame.rate_hz > 0) || !std::isfinite(format.frame.rate_hz))
    refuse("rate", "the rate of frames is not known: expected for example 100 Hz");
  if (format.has_times() && (format.heap_ticks < 1 || !(format.ticks_per_second > 0)))
    refuse(format.heap_ticks < 1 ? "heap_ticks" : "tick_rate",
           "timestamps need their step from heap to heap and their rate: expected for example heap_ticks: "
           "4096 and tick_rate: 200 MHz");
}

FrameType spead_frame_type(const SpeadFormat& format) {
  validate(format);
  FrameType type = format.frame;
  type.element = numbers_of(format.element) == 2          ? ElementType::complex_float32
                 : format.element == ElementType::float64 ? ElementType::float64
                                                          : ElementType::float32;
  type.parts.clear();
  return type;
}

}  // namespace takt::sensors
