#pragma once
/// What a miniSEED record of either version holds.

#include <cstdint>
#include <string>
#include <vector>

namespace takt::sensors {

/// A piece of a channel's trace.
struct TraceRecord {
  /// `NET.STA.LOC.CHA`; the location may be empty.
  std::string channel;
  /// Of the first sample, with the record's time correction: nanoseconds since 1970.
  std::int64_t start_ns = 0;
  double rate_hz = 0;
  /// As floats: of integers 24 bits are kept.
  std::vector<float> samples;
};

/// Of samples in records that are written.
enum class TraceEncoding : std::uint8_t { steim1, steim2, int16, int32, float32, float64 };

}  // namespace takt::sensors
