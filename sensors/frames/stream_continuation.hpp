#pragma once
/// How the numbers of a live stream go on behind an outage, in which frames were lost that nobody counted.

#include <cstdint>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// Where a stream stands.
struct StreamStand {
  /// The last frame.
  FrameHeader last;
  /// Samples of the source's clock from one frame to the next; 0: not known.
  std::uint64_t step = 0;
  /// Numbers left out within epochs.
  std::uint64_t holes = 0;
  /// Frames a second; 0: not known.
  double rate_hz = 0;

  /// The first frame of a stream.
  void begin(const FrameHeader& first);
  void follow(const FrameHeader& next);
};

struct Continuation {
  /// To be added to the numbers of the source's own first epoch, and to those of its epochs.
  std::uint64_t sequence_offset = 0;
  std::uint16_t epoch_offset = 0;
  /// Frames that nobody has, beyond those that the source has counted as lost itself.
  std::uint64_t lost = 0;

  [[nodiscard]] bool renumbers() const { return sequence_offset > 0 || epoch_offset > 0; }
  void renumber(FrameHeader& header) const {
    if (header.epoch == 0) header.sequence += sequence_offset;
    header.epoch = static_cast<std::uint16_t>(header.epoch + epoch_offset);
  }
};

/// Within one epoch where the source's own clock puts the first frame behind the outage a whole number of
/// frames behind the last one before it (no more than 10 s), or where whoever sends numbers the frames.
[[nodiscard]] Continuation go_on(const StreamStand& before, const FrameHeader& first);

/// In an epoch of its own; what is lost by UTC, to the nearest frame.
[[nodiscard]] Continuation begin_anew(const StreamStand& before, const FrameHeader& first);

}  // namespace takt::sensors
