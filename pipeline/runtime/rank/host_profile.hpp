#pragma once
/// Measures the costs of stages on every kind of processor that the ranks use.

#include <vector>

#include <mpi.h>

#include "pipeline/costs/profile.hpp"

namespace takt::pipeline {

/// Executes `profile` on one rank of each kind in parallel, and merges the costs as in costs/host_costs.hpp.
/// Ranks of one kind have hosts of the same hardware and system (fingerprint of logp's topology), the same
/// type of cores, and the same limit of processor time (core/system/processor_limit.hpp). Collective; returns
/// the same on all ranks.
[[nodiscard]] std::vector<StageCost> profile_hosts(const Pipeline& pipeline, MPI_Comm communicator,
                                                   const ProfileOptions& options);

}  // namespace takt::pipeline
