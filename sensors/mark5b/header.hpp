#pragma once
/// The header of a Mark 5B disk frame.
///
/// Source: "Mark 5B User's Manual" (MIT Haystack Observatory, 2006), section "Mark 5B data format": four
/// 32-bit little-endian words before 10000 bytes of samples.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

inline constexpr std::size_t mark5b_header_bytes = 16, mark5b_payload_bytes = 10'000,
                             mark5b_frame_bytes = mark5b_header_bytes + mark5b_payload_bytes;
inline constexpr std::uint32_t mark5b_sync_word = 0xABADDEED;

/// What a header says, whether or not it makes sense.
struct Mark5bHeader {
  std::uint32_t sync_word = mark5b_sync_word;
  /// Bits that the user has set.
  std::uint16_t user = 0;
  /// Samples of the test-vector generator instead of the sky.
  bool is_test_vector = false;
  /// Number of the frame in its second.
  std::uint16_t frame = 0;
  /// Last three digits of the modified Julian date, second of that day, and 0.1 ms in that second; as
  /// binary-coded decimals in the header.
  int day = 0, second = 0, fraction = 0;
  /// Whether these are decimals.
  bool is_time_valid = true;
  std::uint16_t checksum = 0;
  friend bool operator==(const Mark5bHeader&, const Mark5bHeader&) = default;
};

/// `bytes` has mark5b_header_bytes at least.
[[nodiscard]] Mark5bHeader decode_mark5b(std::span<const std::byte> bytes);
void encode_mark5b(const Mark5bHeader& header, std::span<std::byte> bytes);

/// CRC-16 (x^16 + x^15 + x^2 + 1) of the time: 12 + 20 + 16 bits, the most significant first.
[[nodiscard]] std::uint16_t mark5b_checksum(const Mark5bHeader& header);

/// Second of TAI (core/leap_seconds.hpp) of a header of the day that is next to a Unix second: the header's
/// day comes again after 1000.
[[nodiscard]] std::int64_t tai_second(const Mark5bHeader& header, std::int64_t near_unix_second);

/// The fields of the header.
[[nodiscard]] const HeaderKeywords& mark5b_keywords();

}  // namespace takt::sensors
