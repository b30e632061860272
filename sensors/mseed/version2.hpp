#pragma once
/// The heads of miniSEED 2 records. libmseed decodes the samples.
///
/// A fixed header of 48 bytes (sequence number, quality, channel, time, samples, rate, flags, time
/// correction, places of samples and blockettes), then a chain of blockettes, each with its type and the
/// place of the next one. Either byte order. Source: SEED Reference Manual 2.4, chapter 8.

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
  /// Of the first sample, with corrections: nanoseconds since 1970, POSIX. A record that starts within a leap
  /// second (second 60) has the time of the second after it.
  std::int64_t start_ns = 0;
  bool starts_in_leap_second = false;
  /// Whether the flags tell of a positive leap second within the record.
  bool has_leap_second = false;
  double rate_hz = 0;
  std::size_t samples = 0;
  /// Of blockette 1000; Steim-1 where there is none, as before it existed.
  int encoding = 10;
  /// Byte order of the samples, by blockette 1000.
  bool are_samples_big_endian = true;
  /// Bytes of the record by blockette 1000; 0 where there is none.
  std::size_t bytes = 0;
  /// Byte at which the samples begin; 0: there are none.
  std::size_t data_offset = 0;
  /// 1 to 4 for the qualities R, D, Q and M: the higher one is of the later, better version.
  std::uint8_t publication = 0;
  RecordMarks marks;
};

/// The head in the first bytes of a record: 48 and its blockettes, as far as they are there. Nothing where
/// the bytes cannot be a record's.
[[nodiscard]] std::optional<Version2Head> read_version2_head(std::span<const std::byte> bytes);

/// Bytes of the record that begins here: of blockette 1000; without one the least power of two from 128 on
/// at which another record begins; where `is_all` and none follows, what is left when it is a power of two,
/// else `usual`. 0 where no record begins, or where it is longer than what is there.
[[nodiscard]] std::size_t version2_length(std::span<const std::byte> bytes, bool is_all, std::size_t usual);

}  // namespace takt::sensors
