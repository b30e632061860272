#pragma once
/// Predicts when the next message of a periodic stream arrives.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "pipeline/runtime/sources/awakening.hpp"

namespace takt::pipeline {

/// Arrival times of one channel, from the messages for which a rank has waited.
///
/// A wake-up by the sender costs the sender a system call and the receiver 20 to 150 us. If messages are as
/// regular as a source's frames, the receiver wakes up before the next one is due and polls. Polling takes at
/// most 1 % of the period. A tracking loop follows the phase and the period of the send times. It moves in
/// steps that no single late message makes large.
class Arrivals {
 public:
  /// The receiver sleeps until its begin and polls until its end.
  struct Window {
    std::int64_t begin = 0, end = 0;

    [[nodiscard]] bool contains(std::int64_t now) const { return begin <= now && now < end; }
  };

  /// Returns the window of the next message. Empty if messages are too irregular or too frequent.
  [[nodiscard]] Window next() const {
    const std::int64_t looking = period_ / share;
    if (known_ < needed || 3 * deviation_ + least_looking > looking) return {};
    const std::int64_t due = due_ + delay_;
    return {due - 2 * deviation_ - std::min(awakening_.margin(), looking), due + looking / 2};
  }
  /// Records a message, with the send time by its sender's clock and the time when it was noticed.
  void came(std::int64_t sent, std::int64_t noticed) {
    // A slowly rising minimum: the offset between the clocks plus the latency.
    const std::int64_t delay = noticed - sent;
    delay_ = known_ == 0 ? delay : std::min(delay, delay_ + (delay - delay_) / 64);
    ++known_;
    if (known_ <= 2) {
      period_ = sent - last_;
      deviation_ = period_ / 64;
      due_ = sent + period_;
    } else {
      follow(sent);
    }
    last_ = sent;
  }
  [[nodiscard]] Awakening& awakening() { return awakening_; }

 private:
  /// Messages needed before the prediction is used.
  static constexpr std::uint64_t needed = 8;
  static constexpr std::int64_t share = 100;
  /// With a shorter time to poll, the receiver would miss most messages.
  static constexpr std::int64_t least_looking = 20'000;

  void follow(std::int64_t sent) {
    // Messages may be missing, or need no wait. If that happens every time, the period has changed.
    const std::int64_t away = sent - due_ + period_ / 2;
    const std::int64_t left_out = away >= 0 ? away / period_ : (away + 1) / period_ - 1;
    in_vain_ = left_out > 0 ? in_vain_ + 1 : 0;
    due_ += left_out * period_;
    const std::int64_t error = sent - due_;
    // Messages are late more often than early, and then by any time.
    const std::int64_t step = std::clamp(error, -8 * deviation_, deviation_);
    deviation_ += std::abs(error) > deviation_ ? deviation_ / 16 + 50 : -deviation_ / 16;
    period_ += step / 64;
    due_ += step / 4 + period_;
    if (deviation_ > period_ / 8 || in_vain_ == needed) known_ = in_vain_ = 0;
  }

  /// Send time of the last message, and the expected one of the next message.
  std::int64_t last_ = 0, due_ = 0;
  std::int64_t period_ = 0;
  /// Half of the messages are sent closer to `due_` than this.
  std::int64_t deviation_ = 0;
  /// Time from sending a message to noticing it.
  std::int64_t delay_ = 0;
  /// Number of messages, and how many of the last ones came a period or more too late.
  std::uint64_t known_ = 0, in_vain_ = 0;
  Awakening awakening_;
};

}  // namespace takt::pipeline
