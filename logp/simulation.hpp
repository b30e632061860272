#pragma once
/// What happens when a schedule meets a stream of frames: many repetitions with bounded buffers, uneven times
/// and an input that does not wait.
///
/// Every processor carries out its operations in the schedule's order, again and again, each as soon as it
/// can:
///
///   an operation waits for the one before it on its processor, and for the gap after the last send (or
///   receive); a receive waits for its message; a task without inputs waits for its frame to come in; a send
///   waits until the receiver has taken the message of `buffers` repetitions before.
///
/// A message with a route passes each link when the schedule has it reserved, or, if it is late, in the first
/// hole: links carry one message at a time.
///
/// So the start times of one repetition follow from those of the repetitions before by maxima and sums, and
/// need no queue of events. The bounded buffers take the place of LogP's capacity of ceil(L / g) messages.
/// Without jitter, drift and slow processors, with enough buffers and no limit of the input, the sustained
/// period is the smallest one of the order (logp/period.hpp); with routes it is the schedule's own.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "logp/outages.hpp"

namespace takt::logp {

struct SimulationOptions {
  /// How many frames come in.
  std::uint64_t frames = 1000;
  /// Time between them; nothing when there is always a next one.
  std::optional<double> frame_interval;
  /// Frames that may wait at the input; one that finds the place full is lost. At least the schedule's
  /// replicas.
  std::uint64_t input_places = 64;
  /// Messages of successive repetitions that a sender may be ahead of its receiver, each message for itself.
  std::uint64_t buffers = 8;
  /// Every computation takes up to this much longer, uniformly.
  Time jitter{0};
  /// And up to this share of its own time longer, uniformly.
  double jitter_share = 0;
  /// Every processor's speed wanders: its computations take between 1 and 1 + drift times as long, at first
  /// somewhere in that range, then moving by at most a hundredth of it from one repetition to the next.
  double drift = 0;
  /// Factor on the times of each processor's computations; empty means 1 for all.
  std::vector<double> slowness;
  /// Times in which processors do nothing.
  std::vector<Outage> outages = {};
  /// Tasks to which latencies are told, each for itself: different ones, which the schedule runs once a
  /// frame.
  std::vector<TaskId> watched = {};
  std::uint64_t seed = 1;
};

/// Throws ConfigError when an option makes no sense.
void check(const SimulationOptions& options, const Machine& machine, const Schedule& schedule);

/// Where a processor's time went.
struct ProcessorTimes {
  Time compute{0};
  Time overhead{0};
  /// Waiting with something to do next: for a frame, for a message, for room at a receiver, for the gap to
  /// pass.
  Time input_wait{0};
  Time message_wait{0};
  Time room_wait{0};
  Time gap_wait{0};
  /// It had something to do, and was out.
  Time outage{0};

  [[nodiscard]] Time busy() const { return compute + overhead; }
};

/// Messages that have arrived at a processor and wait to be received.
struct ChannelQueue {
  ProcessorId from;
  ProcessorId to;
  /// Mean number over the whole time, and the most that waited at once of one message of the schedule.
  double mean = 0;
  std::uint64_t most = 0;
};

/// How long a link of the network has carried messages.
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
  /// Time between delivered frames over the second half of the run; nothing with fewer than two repetitions.
  std::optional<double> sustained_period;
  /// Of the delivered frames in ascending order: from coming in (from starting, without an input limit) to
  /// the end of the frame's last operation.
  std::vector<Time> latencies;
  /// Of each watched task, in their order: the same to its own end.
  std::vector<std::vector<Time>> latencies_to;
  double mean_latency = 0;
  /// Frames waiting at the input: mean over the whole time, and the most at once.
  double mean_input_queue = 0;
  std::uint64_t most_input_queue = 0;
  std::vector<ProcessorTimes> processors;
  /// By sender, then receiver.
  std::vector<ChannelQueue> channels;
  /// Of the links that carry messages, in ascending order.
  std::vector<LinkLoad> links;
  /// What limits the rate, for people: a processor, a link, the input, or waiting.
  std::string bottleneck;

  /// The latency that this share of the frames does not exceed; 0 when there is none. `share` in (0, 1].
  [[nodiscard]] Time latency_quantile(double share) const { return quantile(latencies, share); }
  [[nodiscard]] static Time quantile(const std::vector<Time>& ascending, double share);
};

/// The same options and schedule give the same result on every machine. O(frames * operations). Throws
/// ConfigError when an option makes no sense, when the schedule's operations wait for each other in a circle,
/// or when groups of processors work on moldable tasks.
[[nodiscard]] SimulationResult simulate(const TaskGraph& graph, const Machine& machine,
                                        const Schedule& schedule, const SimulationOptions& options);

}  // namespace takt::logp
