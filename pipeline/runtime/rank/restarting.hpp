#pragma once
/// Restores the ranks of a restarted run, and saves the state for the next restart.

#include <cstdint>
#include <optional>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/protocol/checkpoint.hpp"
#include "pipeline/protocol/restart_folder.hpp"
#include "pipeline/runtime/counting/tally.hpp"

namespace takt::pipeline {

/// Returns on all ranks the checkpoint that rank 0 reads; nothing in a first run. Collective. Throws
/// WorkError if the checkpoint cannot be read.
[[nodiscard]] std::optional<Checkpoint> share_checkpoint(MPI_Comm communicator);

/// Returns the plan of the previous run if the launcher wants ranks to continue with it. Collective. Throws
/// WorkError if rank 0 cannot read it.
[[nodiscard]] std::optional<SharedPlan> share_plan_of_before(MPI_Comm communicator);

/// Returns on all ranks the files that sinks of the previous run have begun, on any host. Collective. Throws
/// WorkError if the list cannot be read.
[[nodiscard]] BegunFiles share_begun_files(MPI_Comm communicator);

/// Sets counters to those of the checkpoint, on the first rank of each stage.
void take_over_counts(const Checkpoint& checkpoint, const RunPlan& plan, std::size_t rank, RankTally& tally);

/// Makes sources whose backlog spills keep their frames for the ranks of the next start, if the run may
/// restart. Excludes joined sources, whose frames get other times then.
void keep_spills(Pipeline& pipeline);
/// Removes these files after all ranks have finished. Collective.
void forget_spills(const Pipeline& pipeline, MPI_Comm communicator);

/// Returns the number of iterations between checkpoints that are `restart.every` apart if the run proceeds as
/// planned; at least 1. All ranks must compute the same number.
[[nodiscard]] std::uint64_t rounds_of_checkpoints(const Pipeline& pipeline, const RunPlan& plan);

}  // namespace takt::pipeline
