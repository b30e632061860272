#pragma once
/// Measures the costs of stages on every kind of host that the ranks use.

#include <vector>

#include <mpi.h>

#include "pipeline/costs/profile.hpp"

namespace takt::pipeline {

/// Executes `profile` on one rank of each kind of host (fingerprint of hardware and system, logp's topology)
/// in parallel, and merges the costs as in costs/host_costs.hpp. Collective; returns the same on all ranks.
[[nodiscard]] std::vector<StageCost> profile_hosts(const Pipeline& pipeline, MPI_Comm communicator,
                                                   const ProfileOptions& options);

}  // namespace takt::pipeline
