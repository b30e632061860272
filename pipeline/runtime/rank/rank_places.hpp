#pragma once
/// Finds the ranks of places on the hosts of a run.

#include <optional>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "pipeline/planning/places.hpp"

namespace takt::pipeline {

/// Returns the ranks and processors of all places; none without a place. Collective: call before threads are
/// bound. Throws ConfigError, on all ranks, at the first place that cannot hold.
[[nodiscard]] RankPlaces places_of_ranks(const Pipeline& pipeline, const std::vector<int>& nodes,
                                         MPI_Comm communicator);

/// Lets the memory of this rank lie on the NUMA node of its processors, on hosts with several. Returns the
/// nodes by rank, for the memory of channels, which lies on the node of its reader. `unmet` receives a
/// sentence if the system refuses. Collective.
[[nodiscard]] std::vector<std::optional<std::size_t>> place_memory(const std::optional<cpu_set_t>& processors,
                                                                   std::vector<std::string>& unmet,
                                                                   MPI_Comm communicator);

}  // namespace takt::pipeline
