#pragma once
/// Counts of the packets and frames of a stream.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sensors/frames/counter.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

inline constexpr std::size_t most_lanes = 16;

/// Counts every valid packet and every frame. Each packet is counted once, in one of
/// `received`, `late`, `duplicate`, `early` and `implausible`; `received` includes the
/// `reordered` packets.
struct AssemblyCounts {
  Tally received;
  /// Packets that never arrived although later ones of their lane did, and packets that were implausible
  /// until the stream moved to their time: sent = received + late + early + lost.
  Tally lost;
  /// Packets that arrived after their frame was handed over.
  Tally late;
  Tally duplicate;
  /// Packets that arrived after a later one of their lane, but in time.
  Tally reordered;
  /// Packets from before the first time for which all lanes have data.
  Tally early;
  /// Packets whose time contradicts their neighbours, or the majority of the lanes.
  Tally implausible;
  /// Restarts of the stream's time: new epochs.
  Tally jumps;

  Tally frames;
  /// Handed over with lost packets, or complete and with NaN values.
  Tally frames_incomplete;
  /// Handed over incomplete at the end of the stream; not counted as incomplete.
  Tally frames_cut_off;
  Tally frames_lost;
  Tally frames_dropped;

  struct Lane {
    Tally received, implausible;
    /// How often the lane was silent for a second while other lanes sent; 1 if it never sent.
    Tally silences;
    /// Packets between the lane's last one and the end of the stream, if no frame waited for the lane.
    Tally ended_early;
    /// How often a packet at the stream's time arrived between successive packets at another time.
    Tally mixed;
  };
  std::array<Lane, most_lanes> lanes;

  /// Returns the counts for the report; a source adds its own details.
  [[nodiscard]] SourceCounters report(std::size_t lane_count) const;
};

/// Returns warnings about silent lanes and lanes with another time, one sentence each. `lanes` are their
/// names (`port 16130`).
[[nodiscard]] std::vector<std::string> lane_warnings(const AssemblyCounts& counts,
                                                     const std::vector<std::string>& lanes);

}  // namespace takt::sensors
