#pragma once
/// When the next message of a periodic stream will come.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "pipeline/runtime/sources/awakening.hpp"

namespace takt::pipeline {

/// What a rank knows of the messages of one channel for which it has waited.
///
/// To be woken by the sender costs it a system call and the receiver 20 to 150 us. Where messages come as
/// regularly as a source's frames do, the receiver is awake before the next one is due, and looks: for at
/// most a hundredth of the time between two. A loop that follows the phase and the period of the moments at
/// which they were sent, in steps that no single late message makes large.
class Arrivals {
 public:
  /// Sleep until its begin, look until its end.
  struct Window {
    std::int64_t begin = 0, end = 0;

    [[nodiscard]] bool contains(std::int64_t now) const { return begin <= now && now < end; }
  };

  /// Of the next message. Empty where they are not regular enough, or come too often.
  [[nodiscard]] Window next() const {
    const std::int64_t looking = period_ / share;
    if (known_ < needed || 3 * deviation_ + least_looking > looking) return {};
    const std::int64_t due = due_ + delay_;
    return {due - 2 * deviation_ - std::min(awakening_.margin(), looking), due + looking / 2};
  }
  /// A message that was sent at this moment, by its sender's clock, was noticed at that one.
  void came(std::int64_t sent, std::int64_t noticed) {
    // The least of them, slowly forgotten: the clocks' difference, and the way.
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
  /// Before it may be relied on.
  static constexpr std::uint64_t needed = 8;
  static constexpr std::int64_t share = 100;
  /// Who looks for less than that would miss most of them.
  static constexpr std::int64_t least_looking = 20'000;

  void follow(std::int64_t sent) {
    // Messages may be left out, or need not be waited for; always, and it is another period.
    const std::int64_t away = sent - due_ + period_ / 2;
    const std::int64_t left_out = away >= 0 ? away / period_ : (away + 1) / period_ - 1;
    in_vain_ = left_out > 0 ? in_vain_ + 1 : 0;
    due_ += left_out * period_;
    const std::int64_t error = sent - due_;
    // They are late more often than early, and then by any time.
    const std::int64_t step = std::clamp(error, -8 * deviation_, deviation_);
    deviation_ += std::abs(error) > deviation_ ? deviation_ / 16 + 50 : -deviation_ / 16;
    period_ += step / 64;
    due_ += step / 4 + period_;
    if (deviation_ > period_ / 8 || in_vain_ == needed) known_ = in_vain_ = 0;
  }

  /// When the last one was sent, and when the next one should be.
  std::int64_t last_ = 0, due_ = 0;
  std::int64_t period_ = 0;
  /// Half of them are sent nearer to `due_` than that.
  std::int64_t deviation_ = 0;
  /// Between sending one and noticing it.
  std::int64_t delay_ = 0;
  /// How many there were, and how many of the last ones came a period or more too late.
  std::uint64_t known_ = 0, in_vain_ = 0;
  Awakening awakening_;
};

}  // namespace takt::pipeline
