#pragma once
/// Measures the offsets between the clocks of different nodes.

#include <cstdint>
#include <vector>

#include <mpi.h>

namespace takt::pipeline {

/// Returns, for each rank, the offset of its clock (now_ns) from that of rank 0, in ns; ranks of one node
/// share a clock. Collective; `nodes` as in nodes.hpp.
///
/// Estimates the offset from the fastest of several round trips: the other clock was read midway between
/// sending and receiving, with an error of at most half the round trip. Source: Cristian, Probabilistic clock
/// synchronization, 1989.
[[nodiscard]] std::vector<std::int64_t> clock_offsets(const std::vector<int>& nodes, MPI_Comm communicator);

}  // namespace takt::pipeline
