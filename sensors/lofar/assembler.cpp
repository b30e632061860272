#include "sensors/lofar/assembler.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt::sensors {

namespace {

constexpr double clocks_per_block = 1024;
/// The station's lanes are numbered from 0.
constexpr std::uint64_t most_lanes_of_station = 4;

std::string set_up_text(std::uint64_t set_up) {
  return fmt::format("configuration {} on RSP board {}", set_up >> 8, set_up & 0xFF);
}

FrameGrid grid_of(const LofarFormat& format, std::uint32_t source) {
  return {.lanes = format.lanes,
          .packets = format.packets,
          .ticks_per_packet = static_cast<std::int64_t>(lofar_blocks_per_packet),
          .ticks_per_second = static_cast<double>(format.clock_hz) / clocks_per_block,
          .payload_bytes = format.payload_bytes(),
          .part_bytes = format.payload_bytes() * (format.bits == 4 ? 2 : 1),
          .unpack = format.bits == 4 ? widen_nibbles : nullptr,
          .utc_of =
              [](std::uint64_t block, double blocks_per_second) {
                return utc_of_block(block, std::llround(blocks_per_second * clocks_per_block));
              },
          .source = static_cast<std::uint16_t>(source)};
}

}  // namespace

SourceCounters LofarCounts::report(std::size_t lane_count) const {
  SourceCounters counters = AssemblyCounts::report(lane_count);
  if (lane_count > 1) counters.details.push_back({"packets_swapped", "packets", swapped.value()});
  counters.details.push_back({"packets_of_other_set_up", "packets", changed.value()});
  for (std::size_t verdict = 1; verdict < lofar_verdict_count; ++verdict)
    counters.details.push_back({fmt::format("refused_{}", name_of(static_cast<LofarVerdict>(verdict))),
                                "packets", refused[verdict].value()});
  return counters;
}

std::vector<std::string> LofarCounts::warnings(const std::vector<std::string>& names) const {
  std::vector<std::string> warnings = lane_warnings(*this, names);
  std::vector<std::string> order;
  bool is_swapped = false;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < names.size() && i < station_lanes.size(); ++i) {
    const std::uint64_t lane = station_lanes[i].value();
    if (lane == 0) continue;
    is_swapped = is_swapped || lane <= before;
    before = lane;
    order.push_back(fmt::format("{} brings lane {}", names[i], lane - 1));
  }
  if (is_swapped)
    warnings.push_back(
        fmt::format("the lanes are not in the station's order, and beamlets have wrong frequencies: {}",
                    fmt::join(order, ", ")));
  for (std::size_t i = 0; i < names.size() && i < station_lanes.size(); ++i)
    if (station_lanes[i].value() > most_lanes_of_station)
      warnings.push_back(fmt::format("{} receives lane {} by its header: expected 0 to {}", names[i],
                                     station_lanes[i].value() - 1, most_lanes_of_station - 1));
  if (changed.value() > 0)
    warnings.push_back(
        fmt::format("the station's set-up changed in {} packets: {} after {}; their subbands may differ",
                    changed.value(), set_up_text(after_change.value()), set_up_text(before_change.value())));
  return warnings;
}

LofarAssembler::LofarAssembler(const LofarFormat& format, const Assembly& assembly, std::uint32_t source,
                               FrameQueue& frames)
    : format_(format),
      station_(format.station),
      assembler_(grid_of(format, source), assembly, counts_, frames) {}

LofarVerdict LofarAssembler::judge_and_count(std::size_t lane, std::span<const std::byte> begin,
                                             std::size_t bytes, LofarHeader& header) {
  LofarVerdict verdict = judge(begin, bytes, format_, header);
  if (verdict == LofarVerdict::good && !station_.takes(header.station)) verdict = LofarVerdict::station;
  if (verdict != LofarVerdict::good) {
    counts_.refused[static_cast<std::size_t>(verdict)].add();
  } else {
    Port& port = ports_[lane];
    if (port.latest == header.lane) counts_.station_lanes[lane].set(header.lane + 1U);
    port.latest = header.lane;
    if (port.usual == 0)
      settle_lane(port, header.lane);
    else if (port.usual != header.lane + 1U)
      counts_.swapped.add();
    note_set_up(lane, header);
  }
  return verdict;
}

/// Records the header's set-up (RSP board and configuration), which determines the meaning of the beamlets.
void LofarAssembler::note_set_up(std::size_t lane, const LofarHeader& header) {
  const auto set_up = static_cast<std::uint16_t>(header.configuration << 8 | header.rsp_board);
  std::optional<std::uint16_t>& first = first_set_ups_[lane];
  if (!first) first = set_up;
  if (set_up == *first) return;
  counts_.changed.add();
  counts_.before_change.set(*first);
  counts_.after_change.set(set_up);
}

/// Uses the majority of the first packets, so that forged ones before the stream have no effect.
void LofarAssembler::settle_lane(Port& port, std::uint8_t station_lane) {
  constexpr std::uint8_t first_packets = 64;
  ++port.of_lane[station_lane % port.of_lane.size()];
  if (++port.packets < first_packets) return;
  const auto most = std::ranges::max_element(port.of_lane);
  port.usual = static_cast<std::uint64_t>(most - port.of_lane.begin()) + 1;
  counts_.swapped.add(port.packets - std::uint64_t{*most});
}

LofarVerdict LofarAssembler::take(std::size_t lane, std::span<const std::byte> datagram,
                                  std::int64_t now_ns) {
  LofarHeader header;
  const LofarVerdict verdict = judge_and_count(lane, datagram, datagram.size(), header);
  if (verdict == LofarVerdict::good)
    assembler_.take(lane, tick_of(header), datagram.subspan(lofar_header_bytes), now_ns);
  return verdict;
}

std::size_t LofarAssembler::take(std::size_t lane, std::span<ScatteredDatagram> datagrams,
                                 std::int64_t now_ns) {
  std::array<Assembler::Arrival, Assembler::most_arrivals> arrivals;
  std::size_t good = 0;
  for (const ScatteredDatagram& datagram : datagrams) {
    LofarHeader header;
    if (judge_and_count(lane, datagram.header, datagram.bytes, header) == LofarVerdict::good)
      arrivals[good++] = {tick_of(header), datagram.payload, datagram.is_placed};
  }
  assembler_.take(lane, std::span(arrivals).first(good), now_ns);
  return good;
}

}  // namespace takt::sensors
