#pragma once
/// The runtime's channels as something to measure.

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "logp/calibration/endpoint.hpp"

namespace takt::pipeline {

/// Lines of a channel in each direction, with `depth` messages under way, over the transport that a run would
/// use between these ranks; `nodes` as in nodes.hpp. A message of s bytes is a frame of s bytes with its
/// envelope and header, and in shared memory its receiver reads each cache line once, so what it costs is
/// what the frame will cost, with what the loop of a rank adds. `leaves_cache`: its other frames drive each
/// message out of the caches before it is read and before its memory is written again, so that both ends pay
/// for memory.
[[nodiscard]] logp::EndpointFactory channel_endpoints(MPI_Comm communicator, std::size_t depth,
                                                      std::vector<int> nodes, bool leaves_cache = false);

}  // namespace takt::pipeline
