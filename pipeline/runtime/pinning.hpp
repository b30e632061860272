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

/// The nice value whose weight among those of Linux is this part of an undisturbed process's, to the nearest:
/// each step is worth 1.25 times (sched(7)). Processes on one processor whose parts add up to at most 1 each
/// get their own at least, whatever the others want: generalised processor sharing (Parekh and Gallager,
/// 1993) by the kernel's scheduler, which gives what one does not want to the others.
[[nodiscard]] int niceness_of_share(double share);

/// At least so nice, from now on: only the calling thread, and those that it starts later. Needs no
/// privilege.
void be_nice(int niceness);

/// The calling thread goes on on another processor than this one, where it may use one, but may come back.
void keep_off(std::size_t processor);

/// What the calling thread sleeps for ends when it should: the kernel gathers wake-ups of 50 us otherwise.
void be_punctual();

/// From now on; threads that the calling one has started before go where they like.
void keep_to(const cpu_set_t& processors);

}  // namespace takt::pipeline
