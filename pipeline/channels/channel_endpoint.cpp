#include "pipeline/channels/channel_endpoint.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include <sched.h>

#include "pipeline/channels/open_channels.hpp"

namespace takt::pipeline {

namespace {

ChannelPlan plan_for(const logp::LineTo& line) {
  ChannelPlan plan{.peer = line.peer, .tag = line.tag};
  if (line.message_bytes > 0) plan.add(0, line.message_bytes);
  return plan;
}

Channels open_line(const ChannelPlan& plan, std::size_t depth, const std::vector<int>& nodes,
                   MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  SharedLayout layout;
  layout.rings.resize(1);
  if (nodes[static_cast<std::size_t>(rank)] == nodes[static_cast<std::size_t>(plan.peer)]) {
    RingPlace ring{.depth = depth, .stride = plan.bytes};
    ring.offset = layout.add(ring.bytes());
    layout.rings[0] = ring;
  }
  const std::vector<ChannelPlan> plans{plan};
  return open_channels(plans, plans, layout, nodes, depth, communicator);
}

/// Spins, since what is measured is a rank that waits; yields now and then, for a partner on the same core.
template <class Condition>
void wait_for(Condition condition) {
  constexpr int spins = 1000;
  for (int attempts = 1; !condition(); ++attempts)
    if (attempts % spins == 0) ::sched_yield();
}

class ChannelEndpoint final : public logp::Endpoint {
 public:
  ChannelEndpoint(const ChannelPlan& plan, std::size_t depth, const std::vector<int>& nodes,
                  MPI_Comm communicator)
      : channels_(open_line(plan, depth, nodes, communicator)),
        send_(*channels_.sends.front()),
        receive_(*channels_.receives.front()) {}

  void send(std::size_t /*slot*/) override {
    wait_for([&] { return send_.has_room(); });
    send_.send({.present = std::numeric_limits<std::uint64_t>::max()});
    if (filled_ > 0) --filled_;
  }
  void start(std::size_t slot) override { send(slot); }
  void receive(std::size_t /*slot*/) override {
    wait_for([&] { return receive_.has_message(); });
    if (receive_.is_shared()) touch(receive_.message(), receive_.plan().bytes);
    receive_.release();
  }
  void flush() override {
    wait_for([&] { return send_.is_idle(); });
  }
  void fill(std::size_t /*slot*/) override {
    std::memset(send_.message(send_.sent() + filled_++), ++pattern_, send_.plan().bytes);
  }

 private:
  /// Brings every line into this core's cache.
  static void touch(const std::byte* memory, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += header_bytes)
      (void)*static_cast<const volatile std::byte*>(memory + i);
  }

  Channels channels_;
  SendChannel& send_;
  ReceiveChannel& receive_;
  /// Messages that are filled and not yet sent.
  std::size_t filled_ = 0;
  unsigned char pattern_ = 0;
};

}  // namespace

logp::EndpointFactory channel_endpoints(MPI_Comm communicator, std::size_t depth, std::vector<int> nodes) {
  return [communicator, depth, nodes = std::move(nodes)](const logp::LineTo& line) {
    return std::make_unique<ChannelEndpoint>(plan_for(line), depth, nodes, communicator);
  };
}

}  // namespace takt::pipeline
