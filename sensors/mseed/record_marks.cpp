#include "sensors/mseed/record_marks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt::sensors {

namespace {

constexpr std::array<BlocketteKind, 13> known_blockettes{{
    {100, 12, "sample rate", "obeyed"},
    {200, 52, "generic event detection", "records_with_events", RecordMark::events},
    {201, 60, "Murdock event detection", "records_with_events", RecordMark::events},
    {300, 60, "step calibration", "records_with_calibration", RecordMark::calibration},
    {310, 60, "sine calibration", "records_with_calibration", RecordMark::calibration},
    {320, 64, "pseudo-random calibration", "records_with_calibration", RecordMark::calibration},
    {390, 28, "generic calibration", "records_with_calibration", RecordMark::calibration},
    {395, 16, "end of calibration", "records_with_calibration", RecordMark::calibration},
    {400, 16, "beam", "records_of_beams", RecordMark::beam},
    {405, 6, "beam delay", "records_of_beams", RecordMark::beam},
    {500, 200, "timing", "passed over: its time is the header's", RecordMark::passed_over},
    {1000, 8, "encoding, byte order, length", "obeyed"},
    {1001, 8, "microseconds, timing quality", "obeyed: microseconds; a timing quality is passed over"},
}};

/// Marks that do not affect the validity of samples.
constexpr bool is_harmless(std::size_t mark) {
  return mark == static_cast<std::size_t>(RecordMark::leap_second) ||
         mark == static_cast<std::size_t>(RecordMark::events);
}

}  // namespace

std::span<const BlocketteKind> blockettes() {
  return known_blockettes;
}

void RecordMarkCounts::add(RecordMarks marks) {
  if (!marks.any()) return;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (marks.has(static_cast<RecordMark>(i))) counts_[i].add();
}

std::vector<Counter> RecordMarkCounts::report() const {
  std::vector<Counter> counters;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i].value() > 0)
      counters.push_back({std::string(record_marks[i].counter), "records", counts_[i].value()});
  return counters;
}

std::vector<std::string> RecordMarkCounts::warnings() const {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i].value() > 0 && !is_harmless(i))
      found.push_back(fmt::format("{} {}", counts_[i].value(), record_marks[i].meaning));
  if (found.empty()) return {};
  return {fmt::format("of the records used, {}", fmt::join(found, ", "))};
}

}  // namespace takt::sensors
