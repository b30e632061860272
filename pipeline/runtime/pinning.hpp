#pragma once
/// Pins each rank's thread to a core of its own.

#include <optional>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "pipeline/calls/rank_tasks.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/places.hpp"

namespace takt::pipeline {

/// Returns the processors for this rank's thread: those of places (Place), the user's choice, or a core of
/// its own if the node has one per rank. Neighbouring ranks get neighbouring cores. Returns nothing if the
/// thread may use any processor. Does not move the thread, but binds the workers of a rank with several
/// cores, one each, if there are enough. Collective. Throws ConfigError if this process may not use the
/// processor that the user chose.
[[nodiscard]] std::optional<cpu_set_t> processors_to_keep_to(const Pinning& pinning, const RankPlaces& places,
                                                             const std::vector<int>& nodes, RankTasks& tasks,
                                                             MPI_Comm communicator);

/// Returns the NUMA node that has all of these processors, on a host with several nodes; otherwise nothing.
[[nodiscard]] std::optional<std::size_t> memory_node_of(const std::optional<cpu_set_t>& processors,
                                                        const std::vector<logp::HostProcessor>& host);

/// Returns the nice value whose Linux weight is closest to this share of a nice-0 process's weight: each step
/// is a factor of 1.25 (sched(7)). Suppose that the shares on one processor add up to at most 1. Under
/// contention, each process then gets at least its share: generalised processor sharing (Parekh and Gallager,
/// 1993). The kernel's scheduler distributes unused shares among the other processes.
[[nodiscard]] int niceness_of_share(double share);

/// Raises the nice value of the calling thread, and of threads that it starts later, to at least this. Needs
/// no privilege.
void be_nice(int niceness);

/// Moves the calling thread off this processor if it may use another one; it may return later.
void keep_off(std::size_t processor);

/// Minimises the timer slack of the calling thread: otherwise the kernel merges wake-ups within 50 us.
void be_punctual();

/// Pins the calling thread; threads that it has started before are not affected.
void keep_to(const cpu_set_t& processors);

}  // namespace takt::pipeline
