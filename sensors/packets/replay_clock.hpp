#pragma once
/// When frames of a recording come.

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/system/clock.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// Frames come at a multiple of the rate at which they were recorded, by their own times; 0: as fast as they
/// are taken.
class ReplayClock {
 public:
  explicit ReplayClock(double speed) : speed_(speed) {}

  /// Whether the moment has come at which the frame would have arrived live; from then on its latency counts.
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

  /// When the frame that was asked about last comes.
  [[nodiscard]] std::optional<std::int64_t> next_ns() const { return next_ns_; }

 private:
  double speed_;
  std::optional<std::int64_t> first_utc_, next_ns_;
  std::int64_t first_shown_ns_ = 0;
};

}  // namespace takt::sensors
