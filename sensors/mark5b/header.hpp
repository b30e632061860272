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

/// The contents of a header, valid or not.
struct Mark5bHeader {
  std::uint32_t sync_word = mark5b_sync_word;
  /// User-defined bits.
  std::uint16_t user = 0;
  /// Samples of the test-vector generator instead of the sky.
  bool is_test_vector = false;
  /// Number of the frame in its second.
  std::uint16_t frame = 0;
  /// Last three digits of the modified Julian date, second of that day, and 0.1 ms in that second; as
  /// binary-coded decimals in the header.
  int day = 0, second = 0, fraction = 0;
  /// Whether these are valid decimals.
  bool is_time_valid = true;
  std::uint16_t checksum = 0;
  friend bool operator==(const Mark5bHeader&, const Mark5bHeader&) = default;
};

/// `bytes` has at least mark5b_header_bytes.
[[nodiscard]] Mark5bHeader decode_mark5b(std::span<const std::byte> bytes);
void encode_mark5b(const Mark5bHeader& header, std::span<std::byte> bytes);

/// Returns the CRC-16 (x^16 + x^15 + x^2 + 1) of the time: 12 + 20 + 16 bits, the most significant first.
[[nodiscard]] std::uint16_t mark5b_checksum(const Mark5bHeader& header);

/// Returns the second of TAI (core/leap_seconds.hpp) of a header, with the matching day closest to a Unix
/// second: the header's day repeats every 1000 days.
[[nodiscard]] std::int64_t tai_second(const Mark5bHeader& header, std::int64_t near_unix_second);

/// Returns the fields of the header.
[[nodiscard]] const HeaderKeywords& mark5b_keywords();

}  // namespace takt::sensors
