#pragma once
/// Measures the execution times of groups with the ranks of a run (costs/group_profile.hpp).

#include <vector>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

/// Adds the times of groups, which consist of rank 0 and the next ranks, to the costs of rank 0. Collective;
/// ignores the costs of other ranks.
void measure_groups(const Pipeline& pipeline, std::vector<StageCost>& costs, MPI_Comm communicator);

}  // namespace takt::pipeline
