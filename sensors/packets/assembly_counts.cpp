#include "sensors/packets/assembly_counts.hpp"

#include <fmt/format.h>

namespace takt::sensors {

namespace {

/// Occasional damaged headers stay below this number; a lane with another clock soon exceeds it.
constexpr std::uint64_t most_astray = 1000;
/// Alternations between a stream and the rest of another stay below this number.
constexpr std::uint64_t most_mixed = 16;

std::string lane_of(std::size_t lane, const std::vector<std::string>& names) {
  return names.size() > 1 ? fmt::format(" (lane {})", lane) : "";
}

}  // namespace

SourceCounters AssemblyCounts::report(std::size_t lane_count) const {
  SourceCounters counters;
  counters.ingested = frames.value();
  counters.lost = frames_lost.value();
  counters.dropped = frames_dropped.value();
  counters.incomplete = frames_incomplete.value();
  const auto add = [&](std::string name, const Tally& tally, const char* unit = "packets") {
    counters.details.push_back({std::move(name), unit, tally.value()});
  };
  add("packets_received", received);
  add("packets_lost", lost);
  add("packets_late", late);
  add("packets_duplicate", duplicate);
  add("packets_reordered", reordered);
  add("packets_early", early);
  add("packets_implausible", implausible);
  for (std::size_t i = 0; lane_count > 1 && i < lane_count; ++i) {
    add(fmt::format("lane_{}_received", i), lanes[i].received);
    add(fmt::format("lane_{}_implausible", i), lanes[i].implausible);
    add(fmt::format("lane_{}_silences", i), lanes[i].silences, "times");
    add(fmt::format("lane_{}_ended_early", i), lanes[i].ended_early);
  }
  add("frames_cut_off", frames_cut_off, "frames");
  add("clock_jumps", jumps, "jumps");
  return counters;
}

std::vector<std::string> lane_warnings(const AssemblyCounts& counts, const std::vector<std::string>& names) {
  std::vector<std::string> warnings;
  // In a file, a half-empty band looks like a full one.
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const std::uint64_t packets = counts.lanes[i].ended_early.value(); packets > 0)
      warnings.push_back(fmt::format(
          "{} (lane {}) ends {} packets before the stream: its part of the band is missing from there on",
          names[i], i, packets));
    else if (counts.lanes[i].silences.value() > 0)
      warnings.push_back(fmt::format(
          "no packets on {} (lane {}) for a second or more: its part of the band is missing", names[i], i));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (counts.lanes[i].mixed.value() > most_mixed)
      warnings.push_back(
          fmt::format("two senders on {}{}: their packets have different times; those with another time than "
                      "the stream are discarded (counter packets_implausible): expected one sender per port "
                      "('from' selects the sender)",
                      names[i], lane_of(i, names)));
    else if (counts.lanes[i].implausible.value() > most_astray)
      warnings.push_back(
          fmt::format("{}{} sends packets with another time than the stream: they are discarded", names[i],
                      lane_of(i, names)));
  if (counts.jumps.value() > 0)
    warnings.emplace_back(
        "the sender's clock jumped, or the sender was silent longer than longest_gap (counter clock_jumps): "
        "each time, a new epoch and new files of the sinks begin");
  return warnings;
}

}  // namespace takt::sensors
