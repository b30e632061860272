#pragma once
/// From the datagrams of a LOFAR station to frames.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensors/lofar/format.hpp"
#include "sensors/lofar/packet.hpp"
#include "sensors/packets/assembler.hpp"
#include "sensors/packets/frame_builder.hpp"
#include "sensors/packets/station_choice.hpp"

namespace takt::sensors {

/// Each datagram is counted once, in one of those of AssemblyCounts or in `refused`.
struct LofarCounts : AssemblyCounts {
  /// By LofarVerdict.
  std::array<Tally, lofar_verdict_count> refused;
  /// What each port's packets say that they are, two in a row: the station's lane, plus 1; 0 before that.
  std::array<Tally, most_lanes> station_lanes;
  /// Good packets that say that they are of another of the station's lanes than most of the port's first 64.
  Tally swapped;
  /// Good packets whose RSP board or configuration is not that of their lane's first one; of the last change
  /// the configurations before and after.
  Tally changed, before_change, after_change;

  [[nodiscard]] SourceCounters report(std::size_t lane_count) const;
  /// What the user should know about the lanes, one sentence each: swapped, silent, of another time. `lanes`
  /// are their names (`port 16130`).
  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>& lanes) const;
};

/// Judges datagrams, and has the good ones put in their places.
class LofarAssembler {
 public:
  /// `format` and `assembly` are valid. `source` goes into the frames' headers.
  LofarAssembler(const LofarFormat& format, const Assembly& assembly, std::uint32_t source,
                 FrameQueue& frames);
  LofarAssembler(const LofarAssembler&) = delete;
  LofarAssembler& operator=(const LofarAssembler&) = delete;

  /// As Assembler::open_frames.
  [[nodiscard]] static std::size_t open_frames(const LofarFormat& format, const Assembly& assembly) {
    return Assembler::open_frames(format.packets, assembly);
  }

  /// One datagram of any bytes from a lane's port or file, O(1) and one copy of the payload. `now_ns` is when
  /// it came.
  LofarVerdict take(std::size_t lane, std::span<const std::byte> datagram, std::int64_t now_ns);

  /// As ScatterBuilder.
  void expect(std::size_t lane, std::span<std::byte*> places) { assembler_.expect(lane, places); }
  std::size_t take(std::size_t lane, std::span<ScatteredDatagram> datagrams, std::int64_t now_ns);

  /// The end of the stream: hands over the frames begun, with what they have.
  void finish(std::int64_t now_ns) { assembler_.finish(now_ns); }

  [[nodiscard]] const LofarCounts& counts() const { return counts_; }

 private:
  /// A port's first packets by what they say, until the majority of them tells which lane it brings (plus 1).
  struct Port {
    std::array<std::uint8_t, 32> of_lane{};
    std::uint8_t packets = 0, latest = 0;
    std::uint64_t usual = 0;
  };

  LofarVerdict judge_and_count(std::size_t lane, std::span<const std::byte> begin, std::size_t bytes,
                               LofarHeader& header);
  void settle_lane(Port& port, std::uint8_t station_lane);
  void note_set_up(std::size_t lane, const LofarHeader& header);
  [[nodiscard]] std::uint64_t tick_of(const LofarHeader& header) const {
    return absolute_block(header.second, header.sequence, format_.clock_hz);
  }

  const LofarFormat format_;
  StationChoice station_;
  std::array<Port, most_lanes> ports_{};
  /// RSP board and configuration of each lane's first good packet.
  std::array<std::optional<std::uint16_t>, most_lanes> first_set_ups_{};
  LofarCounts counts_;
  Assembler assembler_;
};

}  // namespace takt::sensors
