#include "pipeline/engine/channel_endpoint.hpp"

#include <cstring>

#include <sched.h>

#include "pipeline/engine/channel.hpp"

namespace takt::pipeline {

namespace {

ChannelPlan plan_for(const logp::LineTo& line) {
  ChannelPlan plan{.peer = line.peer, .tag = line.tag, .bytes = header_bytes};
  if (line.message_bytes > 0) {
    plan.parts.push_back({0, header_bytes, line.message_bytes});
    plan.bytes += header_bytes + line.message_bytes;
  }
  return plan;
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
  ChannelEndpoint(const ChannelPlan& plan, std::size_t depth, MPI_Comm communicator)
      : send_(plan, depth, communicator), receive_(plan, depth, communicator) {}

  void send(std::size_t /*slot*/) override {
    wait_for([&] { return send_.try_acquire(); });
    send_.send({.present = 1});
    if (filled_ > 0) --filled_;
  }
  void start(std::size_t slot) override { send(slot); }
  void receive(std::size_t /*slot*/) override {
    wait_for([&] { return receive_.try_receive(); });
    receive_.release();
  }
  void flush() override {
    wait_for([&] { return send_.idle(); });
  }
  void fill(std::size_t /*slot*/) override {
    std::memset(send_.message_ahead(filled_++), ++pattern_, send_.plan().bytes);
  }

 private:
  SendChannel send_;
  ReceiveChannel receive_;
  /// Messages that are filled and not yet sent.
  std::size_t filled_ = 0;
  unsigned char pattern_ = 0;
};

}  // namespace

logp::EndpointFactory channel_endpoints(MPI_Comm communicator, std::size_t depth) {
  return [=](const logp::LineTo& line) {
    return std::make_unique<ChannelEndpoint>(plan_for(line), depth, communicator);
  };
}

}  // namespace takt::pipeline
