#pragma once
/// How ranks begin where a run before them stood, and keep what the next one would need.

#include <cstdint>
#include <optional>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/protocol/checkpoint.hpp"
#include "pipeline/protocol/restart_folder.hpp"
#include "pipeline/runtime/counting/tally.hpp"

namespace takt::pipeline {

/// What rank 0 finds of the run before, on all ranks; nothing where this is the first one. Collective. Throws
/// WorkError where it should be there.
[[nodiscard]] std::optional<Checkpoint> share_checkpoint(MPI_Comm communicator);

/// The plan of the run before, where the launcher wants ranks to go on by it. Collective. Throws WorkError
/// where rank 0 cannot know.
[[nodiscard]] std::optional<SharedPlan> share_plan_of_before(MPI_Comm communicator);

/// The files that sinks of the run before have begun, on all ranks, wherever they were. Collective. Throws
/// WorkError where it should be there.
[[nodiscard]] BegunFiles share_begun_files(MPI_Comm communicator);

/// Counts go on from those of the checkpoint, on the first rank of each stage.
void take_over_counts(const Checkpoint& checkpoint, const RunPlan& plan, std::size_t rank, RankTally& tally);

/// Lets sources whose backlog spills keep their frames for the ranks of another start, where the run may
/// start again. Not where sources are joined: their frames get other times then.
void keep_spills(Pipeline& pipeline);
/// Every rank has done what it had to: they are not needed any more. Collective.
void forget_spills(const Pipeline& pipeline, MPI_Comm communicator);

/// Repetitions of the plan from one checkpoint to the next, so that they are `restart.every` apart where the
/// run goes as planned: all ranks must find the same number. 1 or more.
[[nodiscard]] std::uint64_t rounds_of_checkpoints(const Pipeline& pipeline, const RunPlan& plan);

}  // namespace takt::pipeline
