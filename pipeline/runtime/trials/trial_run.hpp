#pragma once
/// One repetition of the trial run of a plan, on made-up frames.

#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/runtime/executor.hpp"

namespace takt::pipeline {

struct Trial {
  /// Of these the first ones are not counted.
  std::uint64_t rounds = 0;
  static constexpr std::uint64_t warm_up = 3;
  /// Multiples of so many rounds show a rate (hyperperiod.hpp).
  std::uint64_t cycle = 1;
  /// Frames that the source gives in a second; as many as are taken without one.
  std::optional<Frequency> pace = {};
  /// Frames of the stream that are left out before the first one, where the source has any of them whenever
  /// it is asked.
  std::uint64_t skipped = 0;
};

/// Of sinks, by stage; nothing elsewhere.
using SinkLatencies = std::vector<std::optional<Time>>;

/// What came of it.
struct TrialResult {
  /// Frames a second; 0 where they were too few to say.
  double hertz = 0;
  /// The median from a frame's moment to its end in each sink, by stage; nothing where hardly a frame came
  /// to it.
  SinkLatencies latencies;
};

/// Has all ranks carry the plan out for so many rounds, with the sources and sinks of
/// costs/trial_stages.hpp. The same on all ranks. Collective; throws what Executor throws.
[[nodiscard]] TrialResult try_plan_once(const Pipeline& pipeline, const SharedPlan& plan,
                                        const std::vector<int>& nodes, RunOptions options, const Trial& trial,
                                        MPI_Comm communicator);

}  // namespace takt::pipeline
