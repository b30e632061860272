#pragma once
/// How the clocks of different nodes go.

#include <cstdint>
#include <vector>

#include <mpi.h>

namespace takt::pipeline {

/// Of each rank, what its clock (now_ns) shows more than that of rank 0, in ns; ranks of one node share a
/// clock. Collective; `nodes` as in nodes.hpp.
///
/// From messages to and fro, of which the quickest counts: the other clock was read half-way between sending
/// and receiving, give or take half the round trip. Source: Cristian, Probabilistic clock synchronization,
/// 1989.
[[nodiscard]] std::vector<std::int64_t> clock_offsets(const std::vector<int>& nodes, MPI_Comm communicator);

}  // namespace takt::pipeline
