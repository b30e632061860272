#pragma once
/// Frame numbers of a live stream after an outage with an unknown number of lost frames.

#include <cstdint>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// The position and rate of a stream.
struct StreamStand {
  /// The last frame.
  FrameHeader last;
  /// Samples of the source's clock per frame; 0: unknown.
  std::uint64_t step = 0;
  /// Numbers left out within epochs.
  std::uint64_t holes = 0;
  /// Frames per second; 0: unknown.
  double rate_hz = 0;

  /// Starts with the first frame of a stream.
  void begin(const FrameHeader& first);
  void follow(const FrameHeader& next);
};

struct Continuation {
  /// Offsets for the numbers of the source's first own epoch, and for its epochs.
  std::uint64_t sequence_offset = 0;
  std::uint16_t epoch_offset = 0;
  /// Lost frames in addition to those counted by the source itself.
  std::uint64_t lost = 0;

  [[nodiscard]] bool renumbers() const { return sequence_offset > 0 || epoch_offset > 0; }
  void renumber(FrameHeader& header) const {
    if (header.epoch == 0) header.sequence += sequence_offset;
    header.epoch = static_cast<std::uint16_t>(header.epoch + epoch_offset);
  }
};

/// Continues the epoch if the source's clock places the first frame a whole number of frames (at most 10 s)
/// after the last one, or if the sender numbers the frames.
[[nodiscard]] Continuation resume(const StreamStand& before, const FrameHeader& first);

/// Begins a new epoch; the number of lost frames follows from UTC, to the nearest frame.
[[nodiscard]] Continuation begin_anew(const StreamStand& before, const FrameHeader& first);

}  // namespace takt::sensors
