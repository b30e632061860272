#pragma once
/// The clock of a replayed recording.

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/system/clock.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// Schedules frames by their own times at a multiple of the recorded rate; 0: as fast as the pipeline
/// polls.
class ReplayClock {
 public:
  explicit ReplayClock(double speed) : speed_(speed) {}

  /// Reports whether the frame's live arrival time has come; its latency counts from then.
  [[nodiscard]] bool is_due(FrameHeader& header) {
    if (speed_ <= 0) return true;
    if (!first_utc_) {
      first_utc_ = header.utc_ns;
      first_shown_ns_ = now_ns();
    }
    const auto after = static_cast<double>(header.utc_ns - *first_utc_);
    const std::int64_t moment = first_shown_ns_ + std::llround(after / speed_);
    header.ingested_ns = moment;
    next_ns_ = moment;
    return now_ns() >= moment;
  }

  /// Returns when the last queried frame is due.
  [[nodiscard]] std::optional<std::int64_t> next_ns() const { return next_ns_; }

 private:
  double speed_;
  std::optional<std::int64_t> first_utc_, next_ns_;
  std::int64_t first_shown_ns_ = 0;
};

}  // namespace takt::sensors
