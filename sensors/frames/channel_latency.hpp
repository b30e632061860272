#pragma once
/// Latency of the single channels of a source: from the time of the last sample of a record to its arrival.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "sensors/frames/counter.hpp"

namespace takt::sensors {

struct ChannelLatency {
  std::string channel;
  std::uint64_t records = 0;
  /// The sum over records, and the longest one.
  Time sum{0}, longest{0};

  [[nodiscard]] Time mean() const { return records > 0 ? sum / static_cast<Time::rep>(records) : Time{0}; }
};

/// One thread counts, any thread reads. Counters travel with those that a source names itself, as
/// `channel_records[CHANNEL]`, `channel_latency[CHANNEL]` (ns, a sum) and
/// `channel_latency_high_water[CHANNEL]`.
class ChannelLatencyTally {
 public:
  /// Counts a record. A time after the arrival, of a clock that is ahead, counts as 0.
  void count(std::int64_t last_sample_utc_ns, std::int64_t arrival_utc_ns) {
    const auto late =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, arrival_utc_ns - last_sample_utc_ns));
    records_.add();
    sum_.add(late);
    longest_.raise_to(late);
  }
  /// Adds its counters; none without records.
  void report(const std::string& channel, std::vector<Counter>& counters) const {
    if (records_.value() == 0) return;
    counters.push_back({"channel_records[" + channel + "]", "records", records_.value()});
    counters.push_back({"channel_latency[" + channel + "]", "ns", sum_.value()});
    counters.push_back({"channel_latency_high_water[" + channel + "]", "ns", longest_.value()});
  }

 private:
  Tally records_, sum_, longest_;
};

/// Removes the counters of channels, and returns them by channel, in their order. O(counters * channels).
[[nodiscard]] inline std::vector<ChannelLatency> take_channel_latencies(std::vector<Counter>& counters) {
  std::vector<ChannelLatency> channels;
  const auto take = [&](const Counter& counter) {
    const std::size_t begin = counter.name.find('[');
    if (begin == std::string::npos || !counter.name.starts_with("channel_")) return false;
    const std::string_view kind = std::string_view(counter.name).substr(0, begin);
    const std::string channel = counter.name.substr(begin + 1, counter.name.size() - begin - 2);
    auto place = std::ranges::find(channels, channel, &ChannelLatency::channel);
    if (place == channels.end()) place = channels.insert(channels.end(), ChannelLatency{.channel = channel});
    if (kind == "channel_records") place->records = counter.value;
    if (kind == "channel_latency") place->sum = Time(static_cast<Time::rep>(counter.value));
    if (kind == "channel_latency_high_water") place->longest = Time(static_cast<Time::rep>(counter.value));
    return true;
  };
  std::erase_if(counters, take);
  return channels;
}

}  // namespace takt::sensors
