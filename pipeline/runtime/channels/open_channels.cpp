#include "pipeline/runtime/channels/open_channels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>

#include "core/error.hpp"
#include "logp/calibration/host_processors.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/runtime/channels/mpi_channel.hpp"

namespace takt::pipeline {

namespace {

/// Position of a ring, as its sender sends it to the receiver.
struct Offer {
  std::array<char, 48> handle{};
  std::size_t memory_bytes = 0;
  RingPlace place;
};

Offer offer_of(const NodeMemory& memory, const RingPlace& place) {
  Offer offer{.memory_bytes = memory.size(), .place = place};
  const std::string handle = memory.handle();
  if (handle.size() >= offer.handle.size()) throw std::logic_error("the handle of shared memory is too long");
  std::ranges::copy(handle, offer.handle.begin());
  return offer;
}

}  // namespace

std::size_t SharedLayout::add(std::size_t more) {
  constexpr std::size_t page = 4096;
  const std::size_t begin = bytes;
  bytes += (more + page - 1) / page * page;
  return begin;
}

Channels open_channels(std::span<const ChannelPlan> sends, std::span<const ChannelPlan> receives,
                       const SharedLayout& layout, const std::vector<int>& nodes, std::size_t mpi_depth,
                       MPI_Comm communicator, const std::vector<std::optional<std::size_t>>& memory_nodes) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const int own_node = nodes[static_cast<std::size_t>(rank)];
  const auto depth_of = [&](const ChannelPlan& plan) { return std::max(mpi_depth, plan.least_depth); };
  Channels channels;
  if (layout.bytes > 0) channels.memory = NodeMemory::create(layout.bytes);
  // Before a receiver maps the memory: pages of one process can move.
  for (std::size_t i = 0; i < sends.size() && !memory_nodes.empty(); ++i)
    if (const auto& node = memory_nodes.at(static_cast<std::size_t>(sends[i].peer)); node && layout.rings[i])
      (void)logp::bind_memory(channels.memory.begin() + layout.rings[i]->offset, layout.rings[i]->bytes(),
                              *node);

  std::vector<Offer> offers(sends.size());
  std::vector<MPI_Request> requests;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const ChannelPlan& plan = sends[i];
    if (!layout.rings[i]) {
      channels.sends.push_back(std::make_unique<MpiSendChannel>(plan, depth_of(plan), communicator));
      continue;
    }
    offers[i] = offer_of(channels.memory, *layout.rings[i]);
    MPI_Isend(&offers[i], sizeof(Offer), MPI_BYTE, plan.peer, plan.tag, communicator,
              &requests.emplace_back());
    channels.sends.push_back(
        std::make_unique<SharedSendChannel>(plan, *layout.rings[i], channels.memory.begin()));
  }

  // Opens the memory of each sender once, however many channels come from it.
  std::map<std::string, std::shared_ptr<NodeMemory>> opened;
  for (const ChannelPlan& plan : receives) {
    if (nodes[static_cast<std::size_t>(plan.peer)] != own_node) {
      channels.receives.push_back(std::make_unique<MpiReceiveChannel>(plan, depth_of(plan), communicator));
      continue;
    }
    Offer offer;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&offer, sizeof(Offer), MPI_BYTE, plan.peer, plan.tag, communicator, &request);
    mpi::wait(request);
    std::shared_ptr<NodeMemory>& memory = opened[offer.handle.data()];
    if (!memory)
      memory = std::make_shared<NodeMemory>(NodeMemory::open(offer.handle.data(), offer.memory_bytes));
    channels.receives.push_back(std::make_unique<SharedReceiveChannel>(plan, offer.place, memory));
  }
  for (MPI_Request& request : requests) mpi::wait(request);
  return channels;
}

}  // namespace takt::pipeline
