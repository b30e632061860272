#pragma once
/// Assembly of frames from the datagrams of a LOFAR station.

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

/// Counts each datagram once, in a count of AssemblyCounts or in `refused`.
struct LofarCounts : AssemblyCounts {
  /// By LofarVerdict.
  std::array<Tally, lofar_verdict_count> refused;
  /// The station's lane, plus 1, by two successive packets of each port; 0 before that.
  std::array<Tally, most_lanes> station_lanes;
  /// Valid packets with another lane of the station than most of the port's first 64.
  Tally swapped;
  /// Valid packets whose RSP board or configuration differs from their lane's first one; and the
  /// configurations before and after the last change.
  Tally changed, before_change, after_change;

  [[nodiscard]] SourceCounters report(std::size_t lane_count) const;
  /// Returns warnings about swapped and silent lanes and lanes with another time, one sentence each. `lanes`
  /// are their names (`port 16130`).
  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>& lanes) const;
};

/// Checks datagrams, and has the valid ones placed.
class LofarAssembler {
 public:
  /// `format` and `assembly` are valid. `source` is written to the frame headers.
  LofarAssembler(const LofarFormat& format, const Assembly& assembly, std::uint32_t source,
                 FrameQueue& frames);
  LofarAssembler(const LofarAssembler&) = delete;
  LofarAssembler& operator=(const LofarAssembler&) = delete;

  /// As Assembler::open_frames.
  [[nodiscard]] static std::size_t open_frames(const LofarFormat& format, const Assembly& assembly) {
    return Assembler::open_frames(format.packets, assembly);
  }

  /// Processes one datagram of arbitrary bytes from a lane's port or file, received at `now_ns`. O(1), with
  /// one copy of the payload.
  LofarVerdict take(std::size_t lane, std::span<const std::byte> datagram, std::int64_t now_ns);

  /// As ScatterBuilder.
  void expect(std::size_t lane, std::span<std::byte*> places) { assembler_.expect(lane, places); }
  std::size_t take(std::size_t lane, std::span<ScatteredDatagram> datagrams, std::int64_t now_ns);

  /// Ends the stream: hands over the frames under assembly, incomplete or not.
  void finish(std::int64_t now_ns) { assembler_.finish(now_ns); }

  [[nodiscard]] const LofarCounts& counts() const { return counts_; }

 private:
  /// Lane numbers (plus 1) in a port's first packets, whose majority determines its lane.
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
  /// RSP board and configuration of each lane's first valid packet.
  std::array<std::optional<std::uint16_t>, most_lanes> first_set_ups_{};
  LofarCounts counts_;
  Assembler assembler_;
};

}  // namespace takt::sensors
