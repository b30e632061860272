#pragma once
/// Wakes a thread in time: how early to set the alarm.

#include <algorithm>
#include <cstdint>

namespace takt::pipeline {

/// Learns the wake-up latency of the calling thread. A virtual core takes 20 to 150 us to wake up; the longer
/// it has slept, the longer and less predictable this is. So a long sleep has two alarms, and the latency is
/// learnt from the second.
class Awakening {
 public:
  /// Returns how long before the moment to set the alarm. Seven of eight sleeps then end in time.
  [[nodiscard]] std::int64_t margin() const { return margin_; }
  /// Returns until when to sleep at this moment (now_ns), for a sleep until `asked`.
  [[nodiscard]] static std::int64_t alarm(std::int64_t now, std::int64_t asked) {
    return now + long_sleep_ns < asked ? asked - first_alarm_ns : asked;
  }
  /// Records that the last sleep, until `asked`, ended at this moment.
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
