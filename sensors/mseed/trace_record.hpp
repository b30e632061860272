#pragma once
/// What a miniSEED record of either version holds.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/leap_seconds.hpp"
#include "sensors/mseed/record_marks.hpp"

namespace takt::sensors {

/// A piece of a channel's trace.
struct TraceRecord {
  /// `NET.STA.LOC.CHA`; the location may be empty.
  std::string channel;
  /// Of the first sample, with the record's time correction: nanoseconds since 1970, POSIX.
  std::int64_t start_ns = 0;
  double rate_hz = 0;
  /// As floats: of integers 24 bits are kept.
  std::vector<float> samples;
  /// Samples whose integers have more digits than a float.
  std::size_t rounded = 0;
  /// Text, opaque data, or no sample rate: there are no samples.
  bool is_log = false;
  /// Encoding of samples that takt does not decode.
  std::optional<int> unknown_encoding;
  /// Of several records of the same samples the one with the highest number is the valid one.
  std::uint8_t publication = 0;
  /// Whether a leap second was inserted within the record; its first sample may lie in it.
  bool has_leap_second = false, starts_in_leap_second = false;
  RecordMarks marks;
};

/// Samples of a record in a row that have their places in POSIX time.
struct TracePiece {
  std::int64_t start_ns = 0;
  std::size_t first = 0, count = 0;
};

/// The pieces of a record: one, or those before and after a leap second, whose own samples have no place in
/// POSIX time. The table says when it was; a record that claims one at another time is taken as it is.
[[nodiscard]] std::vector<TracePiece> pieces_of(const TraceRecord& record, const LeapSecondTable& table);

/// Of samples in records that are written.
enum class TraceEncoding : std::uint8_t { steim1, steim2, int16, int32, float32, float64 };

}  // namespace takt::sensors
