#pragma once
/// Changing a run over to another plan at a frame boundary (`takt run --adapt`).

#include <cstdint>
#include <optional>
#include <string>

#include <mpi.h>

#include "pipeline/planning/run_plan.hpp"
#include "pipeline/runtime/executor.hpp"

namespace takt::pipeline {

/// How a run goes on that was paused.
struct ChangeOver {
  SharedPlan plan;
  /// Number of the first frame that goes through the new plan.
  std::uint64_t first_frame = 0;
};

/// What the rank with the source says, on all ranks: how the run goes on; nothing where it has ended.
/// Collective, when all executors have returned. `wanted` is the plan that this rank was told, as text.
[[nodiscard]] std::optional<ChangeOver> agree_on_change(const Executor& executor, std::size_t source,
                                                        const std::optional<std::string>& wanted,
                                                        MPI_Comm communicator);

/// Hands over what kernels keep that move to another rank: their objects there are added to `kept`, with the
/// parameters that they had (`takt set`). Collective. Throws StageError where a kernel cannot hand over what
/// it keeps, or take over what it is given.
void move_kernels(const Pipeline& pipeline, const RunPlan& from, const RunPlan& to, KeptStages& kept,
                  UpdateQueue& changes, MPI_Comm communicator);

}  // namespace takt::pipeline
