#include "sensors/files/sample_numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "sensors/files/rounding.hpp"

namespace takt::sensors {

namespace {

template <class Number, bool Swaps>
struct ReadNumber {
  static constexpr std::size_t bytes = sizeof(Number);
  double operator()(const std::byte* from) const {
    std::array<std::byte, sizeof(Number)> number;
    std::memcpy(number.data(), from, sizeof(Number));
    if constexpr (Swaps) std::ranges::reverse(number);
    return static_cast<double>(std::bit_cast<Number>(number));
  }
};

/// Signed integers of 24 bits.
template <bool Swaps>
struct Read24 {
  static constexpr std::size_t bytes = 3;
  double operator()(const std::byte* from) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      number |= std::to_integer<std::uint32_t>(from[Swaps ? bytes - 1 - i : i]) << (8 * (i + 1));
    return static_cast<double>(static_cast<std::int32_t>(number) >> 8);
  }
};

template <bool Swaps, class Work>
auto with_order(const SampleNumber& number, Work&& work) {
  if (number.kind == SampleNumber::Kind::floating)
    return number.bytes == 8 ? work(ReadNumber<double, Swaps>{}) : work(ReadNumber<float, Swaps>{});
  const bool is_unsigned = number.kind == SampleNumber::Kind::unsigned_integer;
  switch (number.bytes) {
    case 1:
      return is_unsigned ? work(ReadNumber<std::uint8_t, Swaps>{}) : work(ReadNumber<std::int8_t, Swaps>{});
    case 2:
      return is_unsigned ? work(ReadNumber<std::uint16_t, Swaps>{}) : work(ReadNumber<std::int16_t, Swaps>{});
    case 3:
      return work(Read24<Swaps>{});
    default:
      return is_unsigned ? work(ReadNumber<std::uint32_t, Swaps>{}) : work(ReadNumber<std::int32_t, Swaps>{});
  }
}

/// Calls `work` with a reader of one number.
template <class Work>
auto with_reader(const SampleNumber& number, Work&& work) {
  const bool swaps = number.is_big_endian != (std::endian::native == std::endian::big);
  return swaps ? with_order<true>(number, work) : with_order<false>(number, work);
}

}  // namespace

double middle_of(const SampleNumber& number) {
  return number.kind == SampleNumber::Kind::unsigned_integer
             ? std::ldexp(1.0, static_cast<int>(8 * number.bytes) - 1)
             : 0;
}

void take_as_beamlets(SampleLayout& layout, const SampleNumber& number, std::size_t channels,
                      std::size_t parts, double zero) {
  const std::size_t samples = layout.rows;
  layout.row_bytes = channels * parts * number.bytes;
  layout.type.element = parts == 2 ? ElementType::complex_float32 : ElementType::float32;
  layout.convert = [=](std::span<const std::byte> rows, std::span<std::byte> elements) {
    auto* const to = reinterpret_cast<float*>(elements.data());
    with_reader(number, [&](auto read) {
      const std::byte* from = rows.data();
      for (std::size_t t = 0; t < samples; ++t)
        for (std::size_t c = 0; c < channels; ++c)
          for (std::size_t part = 0; part < parts; ++part, from += read.bytes)
            to[(c * samples + t) * parts + part] = static_cast<float>(read(from) - zero);
    });
  };
  // float32 represents all integers of at most 24 bits.
  if (number.bytes >= 4 && number != SampleNumber{SampleNumber::Kind::floating, 4, number.is_big_endian}) {
    layout.rounded_note =
        number.kind == SampleNumber::Kind::floating
            ? "values are rounded: float32 holds integers up to 2^24 exactly, and no number above 3.4e38"
            : "values are rounded: float32 holds integers up to 2^24 exactly, and 24 bits of larger ones";
    layout.count_rounded = [=](std::span<const std::byte> rows) {
      return with_reader(number, [&](auto read) {
        std::size_t count = 0;
        for (std::size_t at = 0; at < rows.size(); at += read.bytes)
          count += is_rounded(read(rows.data() + at) - zero) ? 1 : 0;
        return count;
      });
    };
  }
  layout.may_hold_nan = number.kind == SampleNumber::Kind::floating;
}

}  // namespace takt::sensors
