#pragma once
/// The header of a VDIF data frame.
///
/// Source: "VLBI Data Interchange Format (VDIF) Specification", release 1.1.1 (2014), and its registry of
/// extended data versions. 32-bit little-endian words; 32 bytes, or 16 for a legacy header. Layout:
/// docs/reference/vdif.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace takt::sensors {

inline constexpr std::size_t vdif_header_bytes = 32, vdif_legacy_bytes = 16;
/// The fifth word of headers of extended data versions 1, 3 and 4.
inline constexpr std::uint32_t vdif_sync_word = 0xACABFEED;
/// Extended data version of a Mark 5B frame in a VDIF frame, whose samples have the codes of Mark 5B.
inline constexpr std::uint8_t vdif_edv_mark5b = 0xAB;

/// The contents of a header, valid or not.
struct VdifHeader {
  bool is_invalid = false;
  bool is_legacy = false;
  /// Seconds since the beginning of a half-year, and its number, from the first half of 2000 on.
  std::uint32_t second = 0;
  std::uint8_t epoch = 0;
  /// Two bits beyond the epoch, 0 in release 1.1.1.
  std::uint8_t unassigned = 0;
  /// Number of the frame in its second and thread.
  std::uint32_t frame = 0;
  /// 0 or 1 in streams of release 1.1.1.
  std::uint8_t version = 1;
  /// Logarithm of the channels to base 2.
  std::uint8_t log2_channels = 0;
  /// Bytes of the whole frame, including the header; a multiple of 8.
  std::uint32_t frame_bytes = 0;
  bool is_complex = false;
  /// Bits of each sample, or of each of its real and imaginary parts.
  int bits = 2;
  std::uint16_t thread = 0;
  std::uint16_t station = 0;
  /// Absent in legacy headers.
  std::uint8_t extended_version = 0;
  /// The rest of the fifth word.
  std::uint32_t extended_data = 0;
  std::uint32_t sync_word = 0;
  /// The last two words, whose meaning depends on the extended data version.
  std::array<std::uint32_t, 2> extended_words{};
  friend bool operator==(const VdifHeader&, const VdifHeader&) = default;

  [[nodiscard]] std::size_t header_bytes() const { return is_legacy ? vdif_legacy_bytes : vdif_header_bytes; }
  /// Returns the complete samples per second of each channel, if the header contains them.
  [[nodiscard]] std::optional<double> sample_hz() const;
  /// Reports whether a channel is marked as valid: extended data version 4 has a mask, others none.
  [[nodiscard]] bool is_channel_valid(std::size_t channel, std::size_t channels) const;
  /// Returns the parts of the header unknown to takt, for a warning: version, unassigned bits, extended data
  /// version. Empty if all are known.
  [[nodiscard]] std::string unknown_parts() const;
  /// Returns the second of TAI (core/leap_seconds.hpp): the header counts leap seconds since its epoch.
  [[nodiscard]] std::int64_t tai_second() const;
  /// Return the POSIX second at which the epoch begins, and of the header's time.
  [[nodiscard]] std::int64_t epoch_unix_second() const;
  [[nodiscard]] std::int64_t unix_second() const;
};

/// `bytes` has at least 16; absent words are zeros.
[[nodiscard]] VdifHeader decode_vdif(std::span<const std::byte> bytes);
/// Writes header_bytes() bytes.
void encode_vdif(const VdifHeader& header, std::span<std::byte> bytes);

/// POSIX seconds of the epochs, each followed by half a year: from 2000 on, before 2032.
inline constexpr std::int64_t first_vdif_second = 946'684'800, end_of_vdif_seconds = 1'956'528'001;

/// The half-year and the second in it.
struct VdifTime {
  std::uint8_t epoch = 0;
  std::uint32_t second = 0;
};
/// Uses the half-year of the second itself, so that no leap second lies between the epoch and the second.
[[nodiscard]] VdifTime vdif_time(std::int64_t unix_second);
/// Converts a TAI second likewise; a leap second is the last second of its half-year.
[[nodiscard]] VdifTime vdif_time_of_tai(std::int64_t tai_second);

}  // namespace takt::sensors
