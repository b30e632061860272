#pragma once
/// Simulates a schedule on a stream of frames: many iterations with bounded buffers, variable times and a
/// live input.
///
/// Every processor repeats its operations in the schedule's order, each as soon as possible:
///
///   an operation waits for the previous one on its processor, and for the gap after the last send (or
///   receive); a receive waits for its message; a task without inputs waits for the arrival of its frame; a
///   send waits until the receiver has received the message of `buffers` iterations before; a task whose
///   state travels waits for the end of its instance before.
///
/// A message with a route uses each link at its reserved time or, if it is late, in the first free
/// interval: links carry one message at a time.
///
/// In a pipelined schedule the operations of an iteration are in order of their start within it, and each is
/// executed for its own frame (core/offsets.hpp); at the end of the stream the pipeline drains. Senders may
/// be ahead at least by the difference of the offsets.
///
/// The work of a task on devices (Schedule::devices) goes there after the task's operation, on each to the
/// unit that is free first, in the order in which tasks start it. The operation of a task waits for the end
/// of its work of `depth` instances before. Jitter, drift and slowness apply to processors only.
///
/// So the start times of one iteration follow from those of the previous iterations by maxima and sums,
/// without a queue of events. The bounded buffers replace LogP's capacity of ceil(L / g) messages.
/// Without jitter, drift and slow processors, with enough buffers and no limit of the input, the
/// sustained period is the smallest one of the order (logp/period.hpp); with routes it is the schedule's
/// own.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule.hpp"
#include "logp/device_queues.hpp"
#include "logp/machine.hpp"
#include "logp/outages.hpp"

namespace takt::logp {

struct SimulationOptions {
  /// Number of incoming frames.
  std::uint64_t frames = 1000;
  /// Time between them; empty: the next frame is always available.
  std::optional<double> frame_interval;
  /// Frames that may wait at the input; a frame that finds the queue full is lost. At least the schedule's
  /// replicas.
  std::uint64_t input_places = 64;
  /// Iterations by which a sender may be ahead of its receiver, for each message separately.
  std::uint64_t buffers = 8;
  /// Every computation takes up to this much longer, uniformly.
  Time jitter{0};
  /// And up to this share of its own time longer, uniformly.
  double jitter_share = 0;
  /// Every processor's speed drifts: its computations take between 1 and 1 + drift times as long, with a
  /// random initial value in that range and steps of at most a hundredth of it per iteration.
  double drift = 0;
  /// Factor on the times of each processor's computations; empty means 1 for all.
  std::vector<double> slowness;
  /// Outages of processors.
  std::vector<Outage> outages = {};
  /// Tasks up to which latencies are recorded, separately: distinct ones, which the schedule runs once per
  /// frame.
  std::vector<TaskId> watched = {};
  std::uint64_t seed = 1;
};

/// Throws ConfigError on an invalid option.
void check(const SimulationOptions& options, const Machine& machine, const Schedule& schedule);

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

/// The same options and schedule yield the same result on every machine. O(frames * operations). Throws
/// ConfigError on an invalid option, if the schedule's operations wait for each other in a cycle, or if
/// groups of processors work on moldable tasks.
[[nodiscard]] SimulationResult simulate(const TaskGraph& graph, const Machine& machine,
                                        const Schedule& schedule, const SimulationOptions& options);

}  // namespace takt::logp
