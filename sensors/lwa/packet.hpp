#pragma once
/// The packets of a Long Wavelength Array station with its antennas (TBN) and its beams (DRX).
///
/// Big-endian. TBN: 24 bytes of header, then 512 complex samples of 8 + 8 bits; DRX: 32 bytes, then 4096 of 4
/// + 4 bits, the real part in the upper half. Time is counted in clocks of 196 MHz since 1970. Sources: the
/// interface control documents of the LWA's digital processors (DP, ADP); layout: docs/reference/lwa.md.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace takt::sensors {

enum class LwaMode : std::uint8_t {
  /// Narrow band, both polarisations of each stand (antenna).
  tbn,
  /// Beams, each of two tunings and both polarisations.
  drx,
};
[[nodiscard]] std::string_view name_of(LwaMode mode);

inline constexpr std::uint32_t lwa_sync_word = 0xDEC0DE5C;
inline constexpr std::int64_t lwa_clock_hz = 196'000'000;

/// Return the bytes of a header and of a payload, and complex samples in it.
[[nodiscard]] constexpr std::size_t lwa_header_bytes(LwaMode mode) {
  return mode == LwaMode::tbn ? 24 : 32;
}
[[nodiscard]] constexpr std::size_t lwa_samples(LwaMode mode) {
  return mode == LwaMode::tbn ? 512 : 4096;
}
[[nodiscard]] constexpr std::size_t lwa_payload_bytes(LwaMode mode) {
  return mode == LwaMode::tbn ? 2 * lwa_samples(mode) : lwa_samples(mode);
}
[[nodiscard]] constexpr std::size_t lwa_packet_bytes(LwaMode mode) {
  return lwa_header_bytes(mode) + lwa_payload_bytes(mode);
}

/// The contents of a header, valid or not. Fields of the other mode keep their values.
struct LwaHeader {
  std::uint32_t sync_word = lwa_sync_word;
  std::uint32_t frame_count = 0;
  /// For TBN the stand, from 1 on; for DRX beam + 8 * tuning, both from 1 on.
  std::uint16_t signal = 1;
  /// 0 or 1.
  std::uint8_t polarisation = 0;
  /// Bits that are zero in these modes: for TBN all of the ID byte, the reserved bit and the mark of wide
  /// band (TBW), for DRX bit 6 of the ID.
  std::uint16_t reserved = 0;
  /// Clocks since 1970 of the first sample; for DRX before `time_offset` is subtracted.
  std::uint64_t time_tag = 0;
  /// Centre frequency: clock * word / 2^32.
  std::uint32_t tuning_word = 0;
  /// TBN.
  std::uint16_t gain = 0;
  /// DRX: 0 in all known packets; clocks per sample; clocks by which the time tag is late; 0.
  std::uint32_t second_count = 0;
  std::uint16_t decimation = 10, time_offset = 0;
  std::uint32_t flags = 0;
  friend bool operator==(const LwaHeader&, const LwaHeader&) = default;

  /// Returns the clocks since 1970 of the first sample.
  [[nodiscard]] std::uint64_t clocks() const { return time_tag - time_offset; }
  [[nodiscard]] double tuning_hz() const {
    return static_cast<double>(lwa_clock_hz) * static_cast<double>(tuning_word) / 4294967296.0;
  }
};

/// `bytes` has at least lwa_header_bytes.
[[nodiscard]] LwaHeader decode_lwa(LwaMode mode, std::span<const std::byte> bytes);
void encode_lwa(LwaMode mode, const LwaHeader& header, std::span<std::byte> bytes);

/// Returns the word of the nearest frequency, from 0 to below the clock.
[[nodiscard]] std::uint32_t lwa_tuning_word(double hz);

/// Converts clocks to nanoseconds since 1970, rounded to the nearest one; limited to 2262.
[[nodiscard]] std::int64_t utc_of_clocks(std::uint64_t clocks);
[[nodiscard]] std::uint64_t clocks_of_second(std::int64_t unix_second);

/// Converts a payload to alternating real and imaginary parts; and back, to the nearest representable values.
void decode_lwa_samples(LwaMode mode, std::span<const std::byte> payload, float* numbers);
void encode_lwa_samples(LwaMode mode, std::span<const float> numbers, std::span<std::byte> payload);

}  // namespace takt::sensors
