#pragma once
/// Makes the runtime's channels available to the calibration of links.

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "logp/calibration/endpoint.hpp"

namespace takt::pipeline {

/// Returns a factory of lines with a channel in each direction and `depth` messages in flight, over the
/// transport of a run between these ranks; `nodes` as in nodes.hpp. A message of s bytes is a frame of s
/// bytes with its envelope and header. In shared memory the receiver reads each cache line once, so the
/// measured cost is that of the frame, including the work of a rank's main loop. `leaves_cache`: other frames
/// of the pipeline evict each message from the caches before it is read and before its memory is written
/// again, so both ends access main memory.
[[nodiscard]] logp::EndpointFactory channel_endpoints(MPI_Comm communicator, std::size_t depth,
                                                      std::vector<int> nodes, bool leaves_cache = false);

}  // namespace takt::pipeline
