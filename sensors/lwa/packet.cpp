#include "sensors/lwa/packet.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace takt::sensors {

namespace {

std::uint64_t read_lwa(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

void write_lwa(std::span<std::byte> bytes, std::size_t at, std::size_t count, std::uint64_t value) {
  for (std::size_t i = count; i-- > 0; value >>= 8) bytes[at + i] = static_cast<std::byte>(value & 0xFF);
}

/// TBN's 16 bits of ID: inputs from 1 on, two per stand.
constexpr std::uint64_t input_bits = 0x3FFF;

/// The values of the four bits of a part, two's complement.
constexpr std::array<float, 16> nibbles{0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};

std::uint8_t quantised(float value, float least, float most) {
  return static_cast<std::uint8_t>(static_cast<int>(std::lround(std::clamp(value, least, most))));
}

}  // namespace

std::string_view name_of(LwaMode mode) {
  return mode == LwaMode::tbn ? "TBN" : "DRX";
}

LwaHeader decode_lwa(LwaMode mode, std::span<const std::byte> bytes) {
  LwaHeader header;
  header.sync_word = static_cast<std::uint32_t>(read_lwa(bytes, 0, 4));
  const auto id = static_cast<std::uint16_t>(read_lwa(bytes, 4, 1));
  header.frame_count = static_cast<std::uint32_t>(read_lwa(bytes, 5, 3));
  header.time_tag = read_lwa(bytes, 16, 8);
  if (mode == LwaMode::tbn) {
    header.tuning_word = static_cast<std::uint32_t>(read_lwa(bytes, 8, 4));
    const std::uint64_t packed = read_lwa(bytes, 12, 2), input = packed & input_bits;
    // Input 0 does not exist: no stand.
    header.signal = static_cast<std::uint16_t>((input + 1) / 2);
    header.polarisation = static_cast<std::uint8_t>((input + 1) % 2);
    header.reserved = static_cast<std::uint16_t>(id | (packed & ~input_bits));
    header.gain = static_cast<std::uint16_t>(read_lwa(bytes, 14, 2));
    return header;
  }
  header.signal = id & 0x3F;
  header.polarisation = static_cast<std::uint8_t>(id >> 7);
  header.reserved = id & 0x40;
  header.second_count = static_cast<std::uint32_t>(read_lwa(bytes, 8, 4));
  header.decimation = static_cast<std::uint16_t>(read_lwa(bytes, 12, 2));
  header.time_offset = static_cast<std::uint16_t>(read_lwa(bytes, 14, 2));
  header.tuning_word = static_cast<std::uint32_t>(read_lwa(bytes, 24, 4));
  header.flags = static_cast<std::uint32_t>(read_lwa(bytes, 28, 4));
  return header;
}

void encode_lwa(LwaMode mode, const LwaHeader& header, std::span<std::byte> bytes) {
  write_lwa(bytes, 0, 4, header.sync_word);
  write_lwa(bytes, 5, 3, header.frame_count);
  write_lwa(bytes, 16, 8, header.time_tag);
  if (mode == LwaMode::tbn) {
    const unsigned input = header.signal == 0 ? 0U : 2U * header.signal - 1U + header.polarisation;
    write_lwa(bytes, 4, 1, header.reserved & 0xFFU);
    write_lwa(bytes, 8, 4, header.tuning_word);
    write_lwa(bytes, 12, 2, (input & input_bits) | (header.reserved & ~input_bits));
    write_lwa(bytes, 14, 2, header.gain);
    return;
  }
  write_lwa(
      bytes, 4, 1,
      (header.signal & 0x3FU) | (header.reserved & 0x40U) | static_cast<unsigned>(header.polarisation) << 7);
  write_lwa(bytes, 8, 4, header.second_count);
  write_lwa(bytes, 12, 2, header.decimation);
  write_lwa(bytes, 14, 2, header.time_offset);
  write_lwa(bytes, 24, 4, header.tuning_word);
  write_lwa(bytes, 28, 4, header.flags);
}

std::uint32_t lwa_tuning_word(double hz) {
  return static_cast<std::uint32_t>(std::llround(hz / static_cast<double>(lwa_clock_hz) * 4294967296.0));
}

std::int64_t utc_of_clocks(std::uint64_t clocks) {
  constexpr auto clock = static_cast<std::uint64_t>(lwa_clock_hz);
  constexpr auto last_second =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / 1'000'000'000;
  // Limits times of damaged headers to the range of nanoseconds since 1970.
  clocks = std::min(clocks, last_second * clock);
  // A clock is 250 / 49 ns.
  const std::uint64_t rest = clocks % clock;
  return static_cast<std::int64_t>(clocks / clock) * 1'000'000'000 +
         static_cast<std::int64_t>((rest * 500 + 49) / 98);
}

std::uint64_t clocks_of_second(std::int64_t unix_second) {
  return static_cast<std::uint64_t>(unix_second) * static_cast<std::uint64_t>(lwa_clock_hz);
}

void decode_lwa_samples(LwaMode mode, std::span<const std::byte> payload, float* numbers) {
  for (const std::byte byte : payload) {
    const auto value = std::to_integer<std::uint8_t>(byte);
    if (mode == LwaMode::tbn) {
      *numbers++ = static_cast<std::int8_t>(value);
    } else {
      *numbers++ = nibbles[value >> 4];
      *numbers++ = nibbles[value & 15];
    }
  }
}

void encode_lwa_samples(LwaMode mode, std::span<const float> numbers, std::span<std::byte> payload) {
  for (std::size_t i = 0; i < payload.size(); ++i)
    payload[i] = mode == LwaMode::tbn ? static_cast<std::byte>(quantised(numbers[i], -128, 127))
                                      : static_cast<std::byte>((quantised(numbers[2 * i], -8, 7) & 15) << 4 |
                                                               (quantised(numbers[2 * i + 1], -8, 7) & 15));
}

}  // namespace takt::sensors
