#pragma once
/// Opens the channels of a rank, each over the transport that suits its two ends.

#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

#include "pipeline/runtime/channels/channel.hpp"
#include "pipeline/runtime/channels/shared_channel.hpp"

namespace takt::pipeline {

/// The memory that a rank shares with the others of its node: the rings that it sends through, and what else
/// it asks for.
struct SharedLayout {
  /// By send channel; nothing where it goes over MPI.
  std::vector<std::optional<RingPlace>> rings;
  std::size_t bytes = 0;

  /// Room of so many bytes more, aligned to a page; where it begins.
  std::size_t add(std::size_t more);
};

struct Channels {
  /// What this rank shares; empty where it shares nothing.
  NodeMemory memory;
  std::vector<std::unique_ptr<SendChannel>> sends;
  std::vector<std::unique_ptr<ReceiveChannel>> receives;
};

/// Opens all channels of this rank: those with a place in `layout` and those from ranks of the same node in
/// shared memory, the others over MPI with `mpi_depth` messages at each end. The ranks at their other ends
/// must call it too, with plans that fit, and lay out rings exactly for the receivers that share their node.
/// `nodes` says which these are (nodes.hpp). Throws WorkError when memory cannot be shared.
[[nodiscard]] Channels open_channels(std::span<const ChannelPlan> sends,
                                     std::span<const ChannelPlan> receives, const SharedLayout& layout,
                                     const std::vector<int>& nodes, std::size_t mpi_depth,
                                     MPI_Comm communicator);

}  // namespace takt::pipeline
