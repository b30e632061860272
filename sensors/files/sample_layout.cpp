#include "sensors/files/sample_layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// Returns the bytes of the numbers that form an element.
std::size_t number_bytes(ElementType type) {
  return size_of(type) / (is_complex(type) ? 2 : 1);
}

template <class Number>
void convert_numbers(std::span<const std::byte> from, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    Number number;
    std::memcpy(&number, from.data() + i * sizeof number, sizeof number);
    to[i] = static_cast<float>(number);
  }
}

std::size_t count_rounded_int32(std::span<const std::byte> rows, bool swaps) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < rows.size(); at += sizeof(std::int32_t)) {
    std::array<std::byte, sizeof(std::int32_t)> bytes;
    std::ranges::copy(rows.subspan(at, bytes.size()), bytes.begin());
    if (swaps) std::ranges::reverse(bytes);
    const auto value = static_cast<double>(std::bit_cast<std::int32_t>(bytes));
    count += static_cast<double>(static_cast<float>(value)) != value ? 1 : 0;
  }
  return count;
}

void convert_bits(std::span<const std::byte> from, std::span<float> to, std::size_t bits) {
  const std::size_t in_byte = 8 / bits;
  const unsigned mask = (1U << bits) - 1;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<float>(std::to_integer<unsigned>(from[i / in_byte]) >> (i % in_byte * bits) & mask);
}

}  // namespace

RowRuns::RowRuns(const SampleLayout& layout) : rows(layout.rows) {
  const std::vector<Axis>& axes = layout.type.axes;
  std::size_t time = 0;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if ((axes[i].name == "time" || axes[i].name == "sample") && axes[i].size == rows) {
      time = i;
      break;
    }
  for (std::size_t i = 0; i < time; ++i) outer *= axes[i].size;
  inner_bytes = layout.type.data_size().count / std::max<std::size_t>(outer * rows, 1);
}

void take_as_they_are(SampleLayout& layout, bool swaps) {
  const ElementType element = layout.type.element;
  const std::size_t number = number_bytes(element);
  layout.convert = [swaps, number](std::span<const std::byte> rows, std::span<std::byte> elements) {
    std::ranges::copy(rows, elements.begin());
    for (std::size_t at = 0; swaps && at < elements.size(); at += number)
      std::ranges::reverse(elements.subspan(at, number));
  };
  if (element == ElementType::int32) {
    layout.count_rounded = [swaps](std::span<const std::byte> rows) {
      return count_rounded_int32(rows, swaps);
    };
    layout.rounded_note = "has integers beyond 2^24, of which float32 holds 24 bits: `unpack` rounds them";
  }
  layout.may_hold_nan = is_floating(element);
  if (!is_floating(element)) layout.type.parts = {layout.rows};
}

void take_as_floats(SampleLayout& layout, int bits, bool is_signed) {
  layout.convert = [=](std::span<const std::byte> rows, std::span<std::byte> elements) {
    const std::span<float> to(reinterpret_cast<float*>(elements.data()), elements.size() / sizeof(float));
    if (bits == 32)
      convert_numbers<float>(rows, to);
    else if (bits == 16)
      is_signed ? convert_numbers<std::int16_t>(rows, to) : convert_numbers<std::uint16_t>(rows, to);
    else if (bits == 8)
      is_signed ? convert_numbers<std::int8_t>(rows, to) : convert_numbers<std::uint8_t>(rows, to);
    else
      convert_bits(rows, to, static_cast<std::size_t>(bits));
  };
  layout.may_hold_nan = bits == 32;
}

void check_frame(double values) {
  constexpr double most = 2147483647.0 / sizeof(float);
  if (!(values >= 1 && values <= most))
    throw OptionError("samples", fmt::format("frames of {} values are not valid: expected 1 to {:.0f}: use "
                                             "fewer samples per frame, or another file",
                                             values, most));
}

}  // namespace takt::sensors
