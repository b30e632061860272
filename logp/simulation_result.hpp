#pragma once
/// What a simulation measures: rates, latencies, queues and the use of processors, links and devices.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule.hpp"
#include "logp/device_queues.hpp"

namespace takt::logp {

/// Breakdown of a processor's time.
struct ProcessorTimes {
  Time compute{0};
  Time overhead{0};
  /// Waiting before the next operation: for a frame, for a message, for buffer space at a receiver, for the
  /// gap.
  Time input_wait{0};
  Time message_wait{0};
  Time room_wait{0};
  Time gap_wait{0};
  /// Delay of its operations by outages.
  Time outage{0};

  [[nodiscard]] Time busy() const { return compute + overhead; }
};

/// Messages that have arrived at a processor and wait to be received.
struct ChannelQueue {
  ProcessorId from;
  ProcessorId to;
  /// Mean number over the whole time, and the most waiting copies of one message of the schedule.
  double mean = 0;
  std::uint64_t most = 0;
};

/// Busy time of a link of the network.
struct LinkLoad {
  LinkId link;
  Time busy{0};
};

struct SimulationResult {
  std::uint64_t ingested = 0;
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;
  /// From the first frame's start to the last one's end.
  Time duration{0};
  /// Time between delivered frames over the second half of the run, without those that leave while the
  /// pipeline drains; empty with fewer than two iterations.
  std::optional<double> sustained_period;
  /// Of the delivered frames in ascending order: from arrival (from start, without an input limit) to the end
  /// of the frame's last operation.
  std::vector<Time> latencies;
  /// For each watched task, in order: the same up to its own end.
  std::vector<std::vector<Time>> latencies_to;
  double mean_latency = 0;
  /// Frames waiting at the input: mean over the whole time, and the maximum.
  double mean_input_queue = 0;
  std::uint64_t most_input_queue = 0;
  std::vector<ProcessorTimes> processors;
  /// By sender, then receiver.
  std::vector<ChannelQueue> channels;
  /// Of the links that carry messages, in ascending order.
  std::vector<LinkLoad> links;
  /// The bottleneck of the rate, as text: a processor, a device, a link, the input, or waiting.
  std::string bottleneck;
  /// In the order of the schedule.
  std::vector<DeviceLoad> devices = {};

  /// Returns the latency that this share of the frames does not exceed; 0 without frames. `share` in (0, 1].
  [[nodiscard]] Time latency_quantile(double share) const { return quantile(latencies, share); }
  [[nodiscard]] static Time quantile(const std::vector<Time>& ascending, double share);
};

}  // namespace takt::logp
