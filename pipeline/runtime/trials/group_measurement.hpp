#pragma once
/// The times of groups, measured with the ranks of a run (costs/group_profile.hpp).

#include <vector>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

/// Adds to rank 0's costs what groups of its and the next ranks take. Collective; the costs of other ranks
/// are not looked at.
void measure_groups(const Pipeline& pipeline, std::vector<StageCost>& costs, MPI_Comm communicator);

}  // namespace takt::pipeline
