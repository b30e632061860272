#pragma once
/// miniSEED 3 records, which Debian's libmseed (2.19) does not support.
///
/// Little-endian. 40 bytes: "MS", u8 3, u8 flags, u32 nanosecond, u16 year, u16 day of the year, u8 hour,
/// minute, second, u8 encoding of the samples, f64 samples per second (negative: seconds per sample), u32
/// samples, u32 CRC-32C of the record with zeros in this place, u8 publication version, u8 bytes of the
/// identifier, u16 bytes of extra headers (JSON), u32 bytes of samples; then these three. Source: FDSN,
/// "miniSEED 3" (docs.fdsn.org/projects/miniseed3), and RFC 3309 for the checksum.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/mseed/trace_record.hpp"

namespace takt::sensors {

/// Returns the bytes of a record that begins here, from its header; 0 if none does.
[[nodiscard]] std::size_t version3_length(std::span<const std::byte> bytes);

/// Decodes the whole record in these bytes: 16 and 32-bit integers, 32 and 64-bit floats, Steim-1 and -2.
/// Empty if the checksum, a field or the samples are wrong. Text and opaque data are records without samples
/// and rate. Without `with_samples`, `samples` has the right size.
[[nodiscard]] std::optional<TraceRecord> decode_version3(std::span<const std::byte> bytes, bool with_samples);

/// Returns `FDSN:NL_HGN_00_B_H_Z` for `NL.HGN.00.BHZ`; a channel of longer codes is written `B_H_Z`. Empty if
/// a part has invalid characters or lengths.
[[nodiscard]] std::optional<std::string> identifier_of(std::string_view channel);
/// Returns the channel of an identifier; the identifier itself if it is not one of FDSN's.
[[nodiscard]] std::string channel_of(std::string_view identifier);

/// The header of the samples that follow.
struct Version3Head {
  std::string identifier;
  std::int64_t start_ns = 0;
  double rate_hz = 0;
  TraceEncoding encoding = TraceEncoding::steim2;
  std::uint32_t samples = 0;
  /// 1 for raw data, 2 and more for later versions of the same samples.
  std::uint8_t publication = 1;
};

/// Appends a record with these encoded samples.
void encode_version3(const Version3Head& head, std::span<const std::byte> data,
                     std::vector<std::byte>& records);

}  // namespace takt::sensors
