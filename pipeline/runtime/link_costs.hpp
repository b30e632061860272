#pragma once
/// A quick measurement of what the runtime's messages cost between the ranks of this run.

#include <optional>
#include <string>

#include <mpi.h>

#include "logp/machine.hpp"

namespace takt::pipeline {

/// Measures, with the runtime's own channels, the LogP parameters for messages up to `largest` between rank 0
/// and its nearest rank on the same node, and between rank 0 and a rank on another node when there is one;
/// takes a few tenths of a second. All ranks must call it; rank 0 gets the machine: one processor a rank,
/// grouped by host.
///
/// Definitions as in `takt calibrate`: o_send is the time of the send call, o_recv that of receiving a
/// message that has already arrived, L = RTT(s, 0) - RTT(0, 0) / 2 - o_send - o_recv (not below 0 here), g
/// the time per message of a burst; medians of several tries, interpolated between the measured sizes.
[[nodiscard]] std::optional<logp::Machine> measure_links(MPI_Comm communicator, Bytes largest);

}  // namespace takt::pipeline
