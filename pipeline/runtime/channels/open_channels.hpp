#pragma once
/// Opens the channels of a rank, each over the transport that suits its two ends.

#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

#include "pipeline/runtime/channels/channel.hpp"
#include "pipeline/runtime/channels/shared_channel.hpp"

namespace takt::pipeline {

/// Layout of the memory that a rank shares with other ranks of its node: the rings of its send channels, and
/// further space.
struct SharedLayout {
  /// By send channel; nothing for channels over MPI.
  std::vector<std::optional<RingPlace>> rings;
  std::size_t bytes = 0;

  /// Adds space for `more` bytes, aligned to a page, and returns its offset.
  std::size_t add(std::size_t more);
};

struct Channels {
  /// Memory that this rank shares with others; may be empty.
  NodeMemory memory;
  std::vector<std::unique_ptr<SendChannel>> sends;
  std::vector<std::unique_ptr<ReceiveChannel>> receives;
};

/// Opens all channels of this rank: in shared memory those with a ring in `layout` and those from ranks of
/// the same node, the others over MPI with `mpi_depth` messages at each end, or the channel's least depth.
/// The ranks at the other ends must call it too, with matching plans, and with rings for exactly the
/// receivers on their own node; `nodes` lists the nodes (nodes.hpp). `memory_nodes`: by rank, the NUMA node
/// where it reads frames, and where its rings lie if the system allows it. Throws WorkError if memory cannot
/// be shared.
[[nodiscard]] Channels open_channels(std::span<const ChannelPlan> sends,
                                     std::span<const ChannelPlan> receives, const SharedLayout& layout,
                                     const std::vector<int>& nodes, std::size_t mpi_depth,
                                     MPI_Comm communicator,
                                     const std::vector<std::optional<std::size_t>>& memory_nodes = {});

}  // namespace takt::pipeline
