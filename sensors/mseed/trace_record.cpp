#include "sensors/mseed/trace_record.hpp"

#include <algorithm>
#include <cmath>

namespace takt::sensors {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::int64_t floor_second(std::int64_t ns) {
  return ns / second_ns - (ns % second_ns < 0 ? 1 : 0);
}

}  // namespace

std::vector<TracePiece> pieces_of(const TraceRecord& record, const LeapSecondTable& table) {
  const std::size_t samples = record.samples.size();
  if (!record.has_leap_second && !record.starts_in_leap_second) return {{record.start_ns, 0, samples}};
  const std::int64_t start = floor_second(record.start_ns);
  // The POSIX second that follows the leap second.
  const auto entry = std::ranges::find_if(table.entries(), [&](const LeapSecondTable::Entry& each) {
    return record.starts_in_leap_second ? each.unix_second == start : each.unix_second > start;
  });
  if (entry == table.entries().end() || entry == table.entries().begin())
    return {{record.start_ns, 0, samples}};
  const auto elapsed_of = [&](std::size_t sample) {
    return std::llround(static_cast<long double>(sample) * 1e9L / static_cast<long double>(record.rate_hz));
  };
  // Elapsed time from the first sample to the leap second: negative if that has begun.
  const std::int64_t to_leap = record.starts_in_leap_second
                                   ? start * second_ns - record.start_ns
                                   : entry->unix_second * second_ns - record.start_ns;
  const auto samples_before = [&](std::int64_t elapsed) {
    if (elapsed <= 0) return std::size_t{0};
    auto count = static_cast<std::size_t>(std::min<long double>(
        std::ceil(static_cast<long double>(elapsed) * 1e-9L * static_cast<long double>(record.rate_hz)),
        static_cast<long double>(samples)));
    while (count > 0 && elapsed_of(count - 1) >= elapsed) --count;
    return count;
  };
  const std::size_t before = samples_before(to_leap), after = samples_before(to_leap + second_ns);
  std::vector<TracePiece> pieces;
  if (before > 0) pieces.push_back({record.start_ns, 0, before});
  if (after < samples)
    pieces.push_back({record.start_ns + elapsed_of(after) - second_ns, after, samples - after});
  return pieces;
}

}  // namespace takt::sensors
