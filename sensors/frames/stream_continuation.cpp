#include "sensors/frames/stream_continuation.hpp"

#include <algorithm>
#include <cmath>

namespace takt::sensors {

void StreamStand::begin(const FrameHeader& first) {
  holes += first.sequence;
  last = first;
}

void StreamStand::follow(const FrameHeader& next) {
  if (next.epoch == last.epoch && next.sequence > last.sequence) {
    const std::uint64_t distance = next.sequence - last.sequence;
    holes += distance - 1;
    if (step == 0 && next.first_sample > last.first_sample)
      step = (next.first_sample - last.first_sample) / distance;
  }
  last = next;
}

Continuation resume(const StreamStand& before, const FrameHeader& first) {
  constexpr double longest_gap_s = 10;
  const FrameHeader& last = before.last;
  const std::uint64_t samples = first.first_sample - last.first_sample;
  const bool is_later = first.first_sample > last.first_sample && first.epoch == 0;
  if (before.step > 0 && is_later && samples % before.step == 0) {
    const std::uint64_t frames = samples / before.step;
    if (before.rate_hz <= 0 || static_cast<double>(frames) / before.rate_hz <= longest_gap_s) {
      Continuation next{.epoch_offset = last.epoch, .lost = frames - 1};
      const std::uint64_t number = last.sequence + frames;
      if (number >= first.sequence) next.sequence_offset = number - first.sequence;
      // With its own numbers, the source has itself counted the frames before its first one.
      if (next.sequence_offset > 0) next.lost -= std::min(next.lost, first.sequence);
      return next;
    }
  }
  // The sender numbers the frames and has continued meanwhile.
  if (first.epoch == last.epoch && first.sequence > last.sequence)
    return {.lost = first.sequence - last.sequence - 1};
  return begin_anew(before, first);
}

Continuation begin_anew(const StreamStand& before, const FrameHeader& first) {
  const FrameHeader& last = before.last;
  Continuation next{.epoch_offset = static_cast<std::uint16_t>(last.epoch + 1)};
  if (before.rate_hz > 0 && first.utc_ns > last.utc_ns) {
    const auto frames = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(first.utc_ns - last.utc_ns) / 1e9 * before.rate_hz));
    next.lost = frames - std::min(frames, first.sequence + 1);
  }
  return next;
}

}  // namespace takt::sensors
