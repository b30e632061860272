#pragma once
/// A core of its own for each rank's thread.

#include <optional>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// The processors that this rank's thread is to keep to: as the user says, or a core of its own, neighbouring
/// ranks on neighbouring cores, where its node has one for each of its ranks. Nothing where it may go
/// anywhere. The thread is not moved. Collective. Throws ConfigError where this process may not use the
/// processor that the user says.
[[nodiscard]] std::optional<cpu_set_t> processors_to_keep_to(const Pinning& pinning,
                                                             const std::vector<int>& nodes,
                                                             MPI_Comm communicator);

/// From now on; threads that the calling one has started before go where they like.
void keep_to(const cpu_set_t& processors);

}  // namespace takt::pipeline
