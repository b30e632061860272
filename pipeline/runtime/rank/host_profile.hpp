#pragma once
/// What stages cost on every kind of host that the ranks run on.

#include <vector>

#include <mpi.h>

#include "pipeline/costs/profile.hpp"

namespace takt::pipeline {

/// `profile` on one rank of each kind of host (the same fingerprint of hardware and system, logp's topology),
/// at the same time; merged as in costs/host_costs.hpp. Collective; the same on all ranks.
[[nodiscard]] std::vector<StageCost> profile_hosts(const Pipeline& pipeline, MPI_Comm communicator,
                                                   const ProfileOptions& options);

}  // namespace takt::pipeline
