#pragma once
/// The runtime's channels as something to measure.

#include <cstddef>

#include <mpi.h>

#include "logp/calibration/endpoint.hpp"

namespace takt::pipeline {

/// Lines of a channel in each direction, with `depth` messages in the window of each end. A message of s
/// bytes is a frame of s bytes with its envelope and header, so what it costs is what the frame will cost.
[[nodiscard]] logp::EndpointFactory channel_endpoints(MPI_Comm communicator, std::size_t depth);

}  // namespace takt::pipeline
