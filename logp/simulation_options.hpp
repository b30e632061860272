#pragma once
/// The stream that a simulation applies a schedule to.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/schedule.hpp"
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

}  // namespace takt::logp
