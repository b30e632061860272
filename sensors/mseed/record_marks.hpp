#pragma once
/// Flags and blockettes of miniSEED records, in addition to channel, time and rate.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/frames/counter.hpp"

namespace takt::sensors {

/// A flag of a record that takt counts, in the order of `record_marks`.
enum class RecordMark : std::uint8_t {
  calibration,
  time_questionable,
  saturated,
  clipped,
  spikes,
  glitches,
  padded,
  telemetry_error,
  filter_charging,
  recorder_error,
  leap_second,
  events,
  beam,
  wrong_last_sample,
  passed_over,
};

/// The counter of a mark, and its meaning for the samples.
struct RecordMarkKind {
  std::string_view counter, meaning;
};

inline constexpr std::array<RecordMarkKind, 15> record_marks{{
    {"records_with_calibration", "hold calibration signals"},
    {"records_time_questionable", "have a questionable time"},
    {"records_saturated", "are of a saturated amplifier"},
    {"records_clipped", "are of a clipped digitiser"},
    {"records_with_spikes", "have spikes"},
    {"records_with_glitches", "have glitches"},
    {"records_padded", "have samples that were missing and were filled in"},
    {"records_with_telemetry_errors", "had a telemetry error"},
    {"records_filter_charging", "were taken while a digital filter was charging"},
    {"records_with_recorder_errors", "had a parity error, or another length than their recorder expected"},
    {"records_with_leap_second", "announce a leap second"},
    {"records_with_events", "report detected events"},
    {"records_of_beams", "are of a beam of several stations"},
    {"records_with_wrong_last_sample", "end with another sample than declared (Steim)"},
    {"blockettes_passed_over", "have unknown blockettes"},
}};

/// Several marks of one record.
class RecordMarks {
 public:
  void set(RecordMark mark) { bits_ |= 1U << static_cast<unsigned>(mark); }
  [[nodiscard]] bool has(RecordMark mark) const { return (bits_ >> static_cast<unsigned>(mark) & 1) != 0; }
  [[nodiscard]] bool any() const { return bits_ != 0; }

 private:
  std::uint32_t bits_ = 0;
};

/// Counts of marked records. One thread counts, any thread may read.
class RecordMarkCounts {
 public:
  void add(RecordMarks marks);
  /// Returns the counts above 0.
  [[nodiscard]] std::vector<Counter> report() const;
  /// Returns one sentence about all marks of uncertain samples or times; empty without any.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  std::array<Tally, record_marks.size()> counts_;
};

/// The treatment of a miniSEED 2 blockette.
struct BlocketteKind {
  std::uint16_t type = 0;
  /// Bytes with its header; 0: stored in the blockette itself.
  std::size_t bytes = 0;
  std::string_view name;
  /// `obeyed`, or the counter.
  std::string_view fate;
  RecordMark mark = RecordMark::passed_over;
};

/// Returns all blockettes that a data record may have. Source: SEED Reference Manual 2.4, chapter 8.
[[nodiscard]] std::span<const BlocketteKind> blockettes();

}  // namespace takt::sensors
