#pragma once
/// The headers of miniSEED 2 records. libmseed decodes the samples.
///
/// A fixed header of 48 bytes (sequence number, quality, channel, time, samples, rate, flags, time
/// correction, offsets of samples and blockettes), then a chain of blockettes, each with its type and the
/// offset of the next one. Either byte order. Source: SEED Reference Manual 2.4, chapter 8.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sensors/mseed/record_marks.hpp"

namespace takt::sensors {

inline constexpr std::size_t version2_head_bytes = 48, least_version2_record = 128,
                             most_version2_record = std::size_t{1} << 20;

struct Version2Head {
  /// `NET.STA.LOC.CHA`; the location may be empty.
  std::string channel;
  /// Time of the first sample, with corrections: nanoseconds since 1970, POSIX. A record that starts within a
  /// leap second (second 60) has the time of the second after it.
  std::int64_t start_ns = 0;
  bool starts_in_leap_second = false;
  /// Whether the flags mark a positive leap second within the record.
  bool has_leap_second = false;
  double rate_hz = 0;
  std::size_t samples = 0;
  /// From blockette 1000; Steim-1 without one, as in records older than that blockette.
  int encoding = 10;
  /// Byte order of the samples, from blockette 1000.
  bool are_samples_big_endian = true;
  /// Bytes of the record from blockette 1000; 0 without one.
  std::size_t bytes = 0;
  /// Byte at which the samples begin; 0: there are none.
  std::size_t data_offset = 0;
  /// 1 to 4 for the qualities R, D, Q and M: a higher one is a later, better version.
  std::uint8_t publication = 0;
  RecordMarks marks;
};

/// Returns the header in the first bytes of a record: 48 and the available blockettes. Empty if the bytes
/// cannot be a record's.
[[nodiscard]] std::optional<Version2Head> read_version2_head(std::span<const std::byte> bytes);

/// Returns the bytes of the record that begins here, from blockette 1000. Without it, the least power of two
/// from 128 on at which another record begins; if `is_all` is set and none follows, the remaining bytes if
/// they are a power of two, else `usual`. 0 if no record begins here, or not all of it is available.
[[nodiscard]] std::size_t version2_length(std::span<const std::byte> bytes, bool is_all, std::size_t usual);

}  // namespace takt::sensors
