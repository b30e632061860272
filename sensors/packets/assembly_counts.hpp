#pragma once
/// What became of the packets of a stream, and of its frames.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sensors/frames/counter.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

inline constexpr std::size_t most_lanes = 16;

/// What became of every packet that the decoder found good, and of every frame. Each packet is counted once,
/// in one of `received`, `late`, `duplicate`, `early` and `implausible`; `reordered` ones are among those
/// received.
struct AssemblyCounts {
  Tally received;
  /// Packets that never came although later ones of their lane did, and those that were implausible until the
  /// stream moved to their time: sent = received + late + early + lost.
  Tally lost;
  /// Packets that came when their frame was already handed over.
  Tally late;
  Tally duplicate;
  /// Packets that came after a later one of their lane, but in time.
  Tally reordered;
  /// Packets from before the first moment of which all lanes have something.
  Tally early;
  /// Packets whose time fits nothing around them, or not what most lanes say.
  Tally implausible;
  /// How often the stream began anew: new epochs.
  Tally jumps;

  Tally frames;
  /// Handed over with packets missing that were lost, or whole and with NaN in them.
  Tally frames_incomplete;
  /// Handed over as far as the stream went before it ended; not among the incomplete ones.
  Tally frames_cut_off;
  Tally frames_lost;
  Tally frames_dropped;

  struct Lane {
    Tally received, implausible;
    /// How often nothing came from it for a second while others went on; or all the time.
    Tally silences;
    /// How often a packet at the stream's time came between packets that follow one another at another time.
    Tally mixed;
  };
  std::array<Lane, most_lanes> lanes;

  /// For the report; a source adds its own details.
  [[nodiscard]] SourceCounters report(std::size_t lane_count) const;
};

/// What the user should know about the lanes, one sentence each: silent, of another time. `lanes` are their
/// names (`port 16130`).
[[nodiscard]] std::vector<std::string> lane_warnings(const AssemblyCounts& counts,
                                                     const std::vector<std::string>& lanes);

}  // namespace takt::sensors
