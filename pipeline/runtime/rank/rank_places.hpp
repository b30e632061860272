#pragma once
/// Finds the ranks of places on the hosts of a run.

#include <cstddef>
#include <optional>
#include <set>
#include <string>
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
/// sentence if the system refuses that memory, or memory that ranks of this host share on another rank's
/// node; `nodes` are the hosts by rank. Collective.
[[nodiscard]] std::vector<std::optional<std::size_t>> place_memory(const std::optional<cpu_set_t>& processors,
                                                                   const std::vector<int>& nodes,
                                                                   std::vector<std::string>& unmet,
                                                                   MPI_Comm communicator);

/// Returns a sentence for each of these NUMA nodes to which the system does not bind shared memory, tried on
/// a page as open_channels (pipeline/runtime/channels) binds the rings of messages.
[[nodiscard]] std::vector<std::string> unbound_rings(const std::set<std::size_t>& numa_nodes);

}  // namespace takt::pipeline
