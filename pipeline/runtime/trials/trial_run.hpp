#pragma once
/// Executes one repetition of the trial run of a plan, on synthetic frames.

#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/runtime/executor.hpp"

namespace takt::pipeline {

struct Trial {
  /// Number of iterations. Those that asynchronous tasks hold back (iterations_held), and the first tenth of
  /// the others, at least `warm_up`, are not counted.
  std::uint64_t rounds = 0;
  static constexpr std::uint64_t warm_up = 3;
  /// Hyperperiod in iterations: the throughput is measured over multiples of it (hyperperiod.hpp).
  std::uint64_t cycle = 1;
  /// Rate at which the source produces frames; nothing: as fast as they are consumed.
  std::optional<Frequency> pace = {};
  /// Number of frames of the stream to skip before the first one, if every frame of the source is always
  /// available.
  std::uint64_t skipped = 0;
};

/// Latencies of sinks, by stage; nothing for other stages.
using SinkLatencies = std::vector<std::optional<Time>>;

/// Result of a repetition.
struct TrialResult {
  /// Throughput in frames/s; 0 if there were too few frames.
  double hertz = 0;
  /// Median latency of frames in each sink, by stage; nothing for a sink that received fewer than
  /// `least_calls` frames.
  SinkLatencies latencies;
};

/// Returns the largest number of iterations without a frame at a stage (Stage::iterations_held).
[[nodiscard]] std::uint64_t iterations_held(const Pipeline& pipeline, std::uint32_t replicas);

/// Executes the plan on all ranks for the iterations of the trial, with the sources and sinks of
/// costs/trial_stages.hpp. Returns the same on all ranks. Collective; throws what Executor throws.
[[nodiscard]] TrialResult try_plan_once(const Pipeline& pipeline, const SharedPlan& plan,
                                        const std::vector<int>& nodes, RunOptions options, const Trial& trial,
                                        MPI_Comm communicator);

}  // namespace takt::pipeline
