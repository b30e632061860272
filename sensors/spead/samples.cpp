#include "sensors/spead/samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sensors/spead/format.hpp"

namespace takt::sensors {

namespace {

/// Calls `work` with a number of the element's type.
template <class Work>
void with_number(ElementType element, const Work& work) {
  switch (element) {
    case ElementType::int8:
    case ElementType::complex_int8:
      return work(std::int8_t{});
    case ElementType::uint8:
    case ElementType::complex_uint8:
      return work(std::uint8_t{});
    case ElementType::int16:
    case ElementType::complex_int16:
      return work(std::int16_t{});
    case ElementType::uint16:
    case ElementType::complex_uint16:
      return work(std::uint16_t{});
    case ElementType::int32:
      return work(std::int32_t{});
    case ElementType::float64:
      return work(double{});
    case ElementType::float32:
    case ElementType::complex_float32:
      return work(float{});
  }
}

template <class Number>
void swap_bytes(Number& number) {
  auto* const bytes = reinterpret_cast<std::byte*>(&number);
  std::reverse(bytes, bytes + sizeof number);
}

bool is_foreign(bool is_big_endian) {
  return is_big_endian != (std::endian::native == std::endian::big);
}

}  // namespace

void decode_numbers(ElementType element, bool is_big_endian, std::span<const std::byte> bytes,
                    std::byte* to) {
  const bool foreign = is_foreign(is_big_endian);
  const auto middle = static_cast<float>(zero_of(element));
  with_number(element, [&](auto zero) {
    using Number = decltype(zero);
    using Decoded = std::conditional_t<std::is_same_v<Number, double>, double, float>;
    for (std::size_t i = 0; i < bytes.size() / sizeof(Number); ++i) {
      Number number;
      std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
      if (foreign) swap_bytes(number);
      const auto decoded = static_cast<Decoded>(static_cast<Decoded>(number) - middle);
      std::memcpy(to + i * sizeof decoded, &decoded, sizeof decoded);
    }
  });
}

void encode_numbers(ElementType element, bool is_big_endian, std::span<const float> numbers,
                    std::span<std::byte> bytes) {
  const bool foreign = is_foreign(is_big_endian);
  with_number(element, [&](auto zero) {
    using Number = decltype(zero);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      Number number;
      if constexpr (std::is_integral_v<Number>) {
        const double least = std::numeric_limits<Number>::min(), most = std::numeric_limits<Number>::max();
        number = static_cast<Number>(
            std::clamp(std::nearbyint(double{numbers[i]} + zero_of(element)), least, most));
      } else {
        number = numbers[i];
      }
      if (foreign) swap_bytes(number);
      std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    }
  });
}

}  // namespace takt::sensors
