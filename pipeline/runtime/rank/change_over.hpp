#pragma once
/// Changes a run to another plan at a frame boundary (`takt run --adapt`).

#include <cstdint>
#include <optional>
#include <string>

#include <mpi.h>

#include "pipeline/planning/run_plan.hpp"
#include "pipeline/runtime/executor.hpp"

namespace takt::pipeline {

/// Continuation of a paused run.
struct ChangeOver {
  SharedPlan plan;
  /// Number of the first frame of the new plan.
  std::uint64_t first_frame = 0;
};

/// Returns on all ranks the decision of the rank with the source: how the run continues; nothing if it ends.
/// Collective, after all executors have returned. `wanted` is this rank's plan from the launcher, as text.
[[nodiscard]] std::optional<ChangeOver> agree_on_change(const Executor& executor, std::size_t source,
                                                        const std::optional<std::string>& wanted,
                                                        MPI_Comm communicator);

/// Moves the state of kernels that change ranks. Adds the new kernels to `kept` on their new ranks, with
/// their current parameters (`takt set`). Collective. Throws StageError if a kernel cannot save its state or
/// load a state.
void move_kernels(const Pipeline& pipeline, const RunPlan& from, const RunPlan& to, KeptStages& kept,
                  UpdateQueue& changes, MPI_Comm communicator);

}  // namespace takt::pipeline
