#pragma once
/// Being awake at a moment: how early to set the alarm.

#include <algorithm>
#include <cstdint>

namespace takt::pipeline {

/// Learns how late the calling thread wakes up. A virtual core takes 20 to 150 us to be woken, the longer and
/// the less alike the longer it has slept: so a long sleep has two alarms, and what is learnt is of the
/// second.
class Awakening {
 public:
  /// So long before the moment to ask to be woken; seven of eight sleeps end in time then.
  [[nodiscard]] std::int64_t margin() const { return margin_; }
  /// At this moment (now_ns): until when to sleep now, of a sleep until `asked`.
  [[nodiscard]] static std::int64_t alarm(std::int64_t now, std::int64_t asked) {
    return now + long_sleep_ns < asked ? asked - first_alarm_ns : asked;
  }
  /// The last sleep was until `asked`, and ended at this moment.
  void woke(std::int64_t asked, std::int64_t now) {
    const std::int64_t step = std::max<std::int64_t>(margin_ / 128, 100);
    margin_ = std::clamp(margin_ + (now - asked > margin_ ? 7 * step : -step), least, most);
  }

 private:
  static constexpr std::int64_t long_sleep_ns = 2'000'000, first_alarm_ns = 300'000;
  static constexpr std::int64_t least = 2'000, most = 150'000;
  std::int64_t margin_ = 60'000;
};

}  // namespace takt::pipeline
