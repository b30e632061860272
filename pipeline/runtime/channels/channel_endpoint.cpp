#include "pipeline/runtime/channels/channel_endpoint.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sched.h>

#include "core/copy_out.hpp"
#include "core/system/clock.hpp"
#include "core/system/flush_cache.hpp"
#include "pipeline/runtime/channels/open_channels.hpp"

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

/// Yields the core to a partner that shares it and soon yields it back. If another process keeps the core for
/// a time slice instead, does not yield for a few slices, because each of thousands of waits would last one.
void leave_core() {
  constexpr std::int64_t long_time = 500'000;
  constexpr std::int64_t pause = 4;
  thread_local std::int64_t not_before = 0;
  const std::int64_t start = now_ns();
  if (start < not_before) return;
  ::sched_yield();
  const std::int64_t end = now_ns();
  if (end - start > long_time) not_before = end + pause * (end - start);
}

/// Waits by spinning, as the main loop of a rank does.
template <class Condition>
void wait_for(Condition condition) {
  constexpr int spins = 1000;
  for (int attempts = 1; !condition(); ++attempts)
    if (attempts % spins == 0) leave_core();
}

/// Additional cost of output in a shared message that another core has read. It is the cost of the stores
/// there compared with stores into private memory, or of a copy, whichever is less. The executor chooses
/// likewise (runtime/output_placement.hpp).
struct PassingPrice {
  std::int64_t in_place_ns = 0, copied_ns = 0;

  [[nodiscard]] bool copies() const { return copied_ns < in_place_ns; }
  [[nodiscard]] std::int64_t ns() const {
    return std::max<std::int64_t>(0, std::min(in_place_ns, copied_ns));
  }
};

/// Writes messages of one size and measures the cost.
class Passing {
 public:
  explicit Passing(std::size_t bytes) : workbench_(bytes / sizeof(std::uint32_t)) {}

  /// Writes the message in place or by a copy, whichever is cheaper.
  void write(std::byte* message, const PassingPrice& price) {
    if (!price.copies()) return make(in(message));
    make(workbench_);
    copy_to(message);
  }
  /// Writes the message in place or by a copy, alternately, to measure both.
  void try_out(std::byte* message) {
    const std::int64_t start = now_ns();
    make(workbench_);
    const std::int64_t made = now_ns();
    const bool copies = copied_.size() < in_place_.size();
    if (copies)
      copy_to(message);
    else
      make(in(message));
    const std::int64_t taken = now_ns() - made;
    if (copies)
      copied_.push_back(taken);
    else
      in_place_.push_back(taken - (made - start));
  }
  [[nodiscard]] std::optional<PassingPrice> price() const {
    if (copied_.size() < samples) return std::nullopt;
    return PassingPrice{median(in_place_), median(copied_)};
  }

 private:
  static constexpr std::size_t samples = 9;

  static std::int64_t median(std::vector<std::int64_t> costs) {
    std::ranges::nth_element(costs, costs.begin() + samples / 2);
    return costs[samples / 2];
  }
  [[nodiscard]] std::span<std::uint32_t> in(std::byte* message) const {
    return {reinterpret_cast<std::uint32_t*>(message), workbench_.size()};
  }
  void copy_to(std::byte* message) const {
    copy_out(message, workbench_.data(), workbench_.size() * sizeof(std::uint32_t));
  }
  /// Stores elements in the order in which kernels store them.
  void make(std::span<std::uint32_t> memory) {
    const std::uint32_t pattern = ++pattern_;
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = pattern + static_cast<std::uint32_t>(i);
  }

  std::vector<std::uint32_t> workbench_;
  std::uint32_t pattern_ = 0;
  std::vector<std::int64_t> in_place_, copied_;
};

/// Prices by peer and message size. Both ends measure a price together, on their first line of that size.
using PassingPrices = std::map<std::pair<int, std::size_t>, PassingPrice>;

class ChannelEndpoint final : public logp::Endpoint {
 public:
  ChannelEndpoint(const ChannelPlan& plan, std::size_t depth, const std::vector<int>& nodes,
                  MPI_Comm communicator, bool leaves_cache, PassingPrices& prices)
      : channels_(open_line(plan, depth, nodes, communicator)),
        send_(*channels_.sends.front()),
        receive_(*channels_.receives.front()),
        passing_(send_.plan().bytes),
        leaves_cache_(leaves_cache) {
    if (!send_.is_shared() || plan.bytes == 0) return;
    const auto [price, is_new] = prices.try_emplace({plan.peer, plan.bytes});
    if (is_new) price->second = leaves_cache ? learn_alone() : learn_from_reader(depth);
    price_ = price->second;
  }

  void send(std::size_t /*slot*/) override {
    look_at_the_clock();
    wait_for([&] { return send_.has_room(); });
    // Adds the cost of writing the message, because `fill` is not part of the measurement.
    if (send_.is_shared() && filled_ > 0) pass_time(price_.ns());
    send_.send({.present = std::numeric_limits<std::uint64_t>::max()});
    if (filled_ > 0) --filled_;
  }
  void start(std::size_t slot) override { send(slot); }
  void receive(std::size_t /*slot*/) override {
    look_at_the_clock();
    wait_for([&] { return receive_.has_message(); });
    if (receive_.is_shared()) touch(receive_.message(), receive_.plan().bytes);
    receive_.take();
    receive_.release();
  }
  void flush() override {
    wait_for([&] { return send_.is_idle(); });
  }
  void fill(std::size_t /*slot*/) override {
    std::byte* const message = send_.message(send_.sent() + filled_++);
    if (!send_.is_shared()) {
      std::memset(message, ++pattern_, send_.plan().bytes);
      return;
    }
    write(message);
  }

 private:
  PassingPrice learn_alone() {
    while (!passing_.price()) {
      flush_cache({send_.message(0), send_.plan().bytes});
      passing_.try_out(send_.message(0));
    }
    return *passing_.price();
  }
  /// Both ends write messages that the other end has read. The first `depth` messages have no reader yet.
  PassingPrice learn_from_reader(std::size_t depth) {
    for (std::size_t round = 0; round < depth || !passing_.price(); ++round) {
      wait_for([&] { return send_.has_room(); });
      if (round >= depth) passing_.try_out(send_.message(send_.sent()));
      send_.send({.present = std::numeric_limits<std::uint64_t>::max()});
      receive(0);
    }
    flush();
    return *passing_.price();
  }
  void write(std::byte* message) {
    const std::span<const std::byte> bytes{message, send_.plan().bytes};
    if (leaves_cache_) flush_cache(bytes);
    passing_.write(message, price_);
    if (leaves_cache_) flush_cache(bytes);
  }
  /// Reads the clock before and after a message, as the main loop of a rank does.
  static void look_at_the_clock() {
    (void)now_ns();
    (void)now_ns();
  }
  static void pass_time(std::int64_t duration_ns) {
    // Reading the clock takes longer than this.
    constexpr std::int64_t least = 50;
    if (duration_ns < least) return;
    const std::int64_t latest = now_ns() + duration_ns;
    while (now_ns() < latest) {
    }
  }
  /// Loads every cache line into the cache of this core.
  static void touch(const std::byte* memory, std::size_t bytes) {
    constexpr std::size_t line = 64;
    for (std::size_t i = 0; i < bytes; i += line) (void)*static_cast<const volatile std::byte*>(memory + i);
  }

  Channels channels_;
  SendChannel& send_;
  ReceiveChannel& receive_;
  Passing passing_;
  PassingPrice price_;
  bool leaves_cache_;
  /// Number of messages that are filled but not yet sent.
  std::size_t filled_ = 0;
  unsigned char pattern_ = 0;
};

}  // namespace

logp::EndpointFactory channel_endpoints(MPI_Comm communicator, std::size_t depth, std::vector<int> nodes,
                                        bool leaves_cache) {
  return [communicator, depth, nodes = std::move(nodes), leaves_cache,
          prices = std::make_shared<PassingPrices>()](const logp::LineTo& line) {
    return std::make_unique<ChannelEndpoint>(plan_for(line), depth, nodes, communicator, leaves_cache,
                                             *prices);
  };
}

}  // namespace takt::pipeline
