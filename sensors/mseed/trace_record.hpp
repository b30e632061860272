#pragma once
/// The contents of a miniSEED record of either version.

#include <chrono>
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
  /// Time of the first sample, with the record's time correction: nanoseconds since 1970, POSIX.
  std::int64_t start_ns = 0;
  double rate_hz = 0;
  /// As floats, which keep 24 bits of integers.
  std::vector<float> samples;
  /// Samples whose integers have more digits than a float.
  std::size_t rounded = 0;
  /// Text, opaque data, or no sample rate: there are no samples.
  bool is_log = false;
  /// A sample encoding that takt does not support.
  std::optional<int> unknown_encoding;
  /// Among several records of the same samples, the highest number is valid.
  std::uint8_t publication = 0;
  /// Whether a leap second was inserted within the record; its first sample may lie in it.
  bool has_leap_second = false, starts_in_leap_second = false;
  RecordMarks marks;
};

/// Successive samples of a record that have places in POSIX time.
struct TracePiece {
  std::int64_t start_ns = 0;
  std::size_t first = 0, count = 0;
};

/// Returns the pieces of a record: one, or those before and after a leap second, whose own samples have no
/// POSIX time. Ignores leap seconds that are not in the table.
[[nodiscard]] std::vector<TracePiece> pieces_of(const TraceRecord& record, const LeapSecondTable& table);

/// Returns the number of the year's last day.
[[nodiscard]] inline int days_in(int year) {
  return std::chrono::year(year).is_leap() ? 366 : 365;
}

/// The sample encodings of written records.
enum class TraceEncoding : std::uint8_t { steim1, steim2, int16, int32, float32, float64 };

}  // namespace takt::sensors
