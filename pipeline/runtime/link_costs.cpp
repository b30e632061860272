#include "pipeline/runtime/link_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <vector>

#include <unistd.h>

#include "pipeline/runtime/channel.hpp"
#include "pipeline/runtime/patience.hpp"
#include "pipeline/runtime/patient_mpi.hpp"
#include "pipeline/runtime/tally.hpp"

namespace takt::pipeline {

namespace {

constexpr int tries = 15;
constexpr std::size_t burst = 32;
constexpr std::size_t window = 8;

/// One measured size; times in nanoseconds.
struct Sample {
  double size = 0;
  double send_overhead = 0;
  double receive_overhead = 0;
  double latency = 0;
  double gap = 0;
};

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

ChannelPlan plan_for(int peer, int tag, std::size_t bytes) {
  ChannelPlan plan{.peer = peer, .tag = tag};
  plan.parts.push_back({0, header_bytes, bytes});
  plan.bytes = 2 * header_bytes + bytes;
  return plan;
}

constexpr Envelope full{.present = 1};
constexpr Envelope empty{};

/// A pair of ranks with a channel in each direction.
class Pair {
 public:
  Pair(int peer, std::size_t bytes, MPI_Comm communicator)
      : send_(plan_for(peer, 1, bytes), window, communicator),
        receive_(plan_for(peer, 1, bytes), window, communicator) {}

  void send(const Envelope& envelope) {
    while (!send_.try_acquire()) {
    }
    send_.send(envelope);
  }
  void receive() {
    // Spins: a measured receiver is one that is waiting. Yields now and then for a peer on the same core.
    for (int spins = 0; !receive_.try_receive(); ++spins)
      if (spins % 1000 == 999) ::sched_yield();
    receive_.release();
  }
  void flush() {
    while (!send_.idle()) {
    }
  }

 private:
  SendChannel send_;
  ReceiveChannel receive_;
};

/// How long both sides pause so that a message is certain to have arrived.
std::chrono::nanoseconds settling(double size) {
  return std::chrono::microseconds{100} + std::chrono::nanoseconds(static_cast<std::int64_t>(size));
}

/// Half a round trip is measured by the side that leads; every step is symmetrical, so both sides run the
/// same code.
Sample measure(Pair& pair, std::size_t bytes, bool leads) {
  std::vector<double> round_trip, round_trip_empty, send, receive, gap;
  auto ping = [&](const Envelope& envelope, std::vector<double>& times) {
    const std::int64_t start = monotonic_ns();
    if (leads) {
      pair.send(envelope);
      pair.receive();
    } else {
      pair.receive();
      pair.send(empty);
    }
    pair.flush();
    times.push_back(static_cast<double>(monotonic_ns() - start));
  };
  for (int i = 0; i < tries; ++i) ping(empty, round_trip_empty);
  for (int i = 0; i < tries; ++i) ping(full, round_trip);

  for (int i = 0; i < tries; ++i) {
    // The leader sends and pauses; the other one pauses, then receives what is there.
    if (leads) {
      const std::int64_t start = monotonic_ns();
      pair.send(full);
      send.push_back(static_cast<double>(monotonic_ns() - start));
      pair.receive();
    } else {
      std::this_thread::sleep_for(settling(static_cast<double>(bytes)));
      const std::int64_t start = monotonic_ns();
      pair.receive();
      receive.push_back(static_cast<double>(monotonic_ns() - start));
      pair.send(empty);
    }
    pair.flush();
  }

  for (int i = 0; i < 3; ++i) {
    const std::int64_t start = monotonic_ns();
    for (std::size_t k = 0; k < burst; ++k) leads ? pair.send(full) : pair.receive();
    leads ? pair.receive() : pair.send(empty);
    pair.flush();
    gap.push_back(static_cast<double>(monotonic_ns() - start) / burst);
  }

  Sample sample{.size = static_cast<double>(bytes)};
  if (leads) {
    sample.send_overhead = median(send);
    sample.gap = median(gap);
    // The receiver's overhead is added where it is known.
    sample.latency = median(round_trip) - median(round_trip_empty) / 2 - sample.send_overhead;
  } else {
    sample.receive_overhead = median(receive);
  }
  return sample;
}

/// Straight lines between the samples, the first and last ones prolonged.
logp::Cost interpolate(const std::vector<Sample>& samples, double Sample::*field) {
  std::vector<logp::Cost::Segment> segments;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    const Sample &low = samples[i], &high = samples[i + 1];
    const double slope = std::max(0.0, (high.*field - low.*field) / (high.size - low.size));
    segments.push_back(
        {Bytes{i == 0 ? 0 : static_cast<std::uint64_t>(low.size)}, low.*field - slope * low.size, slope});
  }
  if (segments.empty()) segments.push_back({Bytes{0}, samples.front().*field, 0});
  return logp::Cost(std::move(segments));
}

logp::LinkCosts measure_pair(int leader, int follower, int rank, const std::vector<std::size_t>& sizes,
                             MPI_Comm communicator) {
  std::vector<Sample> samples;
  if (rank == leader || rank == follower) {
    const bool leads = rank == leader;
    const int peer = leads ? follower : leader;
    for (std::size_t bytes : sizes) {
      Pair pair(peer, bytes, communicator);
      Sample sample = measure(pair, bytes, leads);
      double receive_overhead = sample.receive_overhead;
      if (leads) {
        MPI_Recv(&receive_overhead, 1, MPI_DOUBLE, follower, 2, communicator, MPI_STATUS_IGNORE);
        sample.receive_overhead = receive_overhead;
        sample.latency = std::max(0.0, sample.latency - receive_overhead);
      } else {
        MPI_Send(&receive_overhead, 1, MPI_DOUBLE, leader, 2, communicator);
      }
      samples.push_back(sample);
    }
  }
  barrier_patiently(communicator);
  if (rank != leader) return {};
  return {.latency = interpolate(samples, &Sample::latency),
          .send_overhead = interpolate(samples, &Sample::send_overhead),
          .receive_overhead = interpolate(samples, &Sample::receive_overhead),
          .send_gap = interpolate(samples, &Sample::gap),
          .receive_gap = interpolate(samples, &Sample::gap)};
}

/// Number of the host of each rank, in order of first appearance.
std::vector<std::uint32_t> hosts_of(MPI_Comm communicator, int size) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  std::vector<char> names(static_cast<std::size_t>(size) * name.size());
  MPI_Allgather(name.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                communicator);
  std::vector<std::string> seen;
  std::vector<std::uint32_t> hosts;
  for (int rank = 0; rank < size; ++rank) {
    const std::string host(names.data() + static_cast<std::size_t>(rank) * name.size());
    auto found = std::find(seen.begin(), seen.end(), host);
    hosts.push_back(static_cast<std::uint32_t>(found - seen.begin()));
    if (found == seen.end()) seen.push_back(host);
  }
  return hosts;
}

}  // namespace

std::optional<logp::Machine> measure_links(MPI_Comm communicator, Bytes largest) {
  int rank = 0, size = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);

  Platform platform;
  platform.speeds.assign(static_cast<std::size_t>(size), 1.0);
  platform.node_of = hosts_of(communicator, size);
  platform.cluster_of_node.assign(*std::max_element(platform.node_of.begin(), platform.node_of.end()) + 1, 0);

  std::vector<std::size_t> sizes{64};
  for (std::size_t bytes = 4096; bytes < largest.count; bytes *= 8) sizes.push_back(bytes);
  if (largest.count > sizes.back()) sizes.push_back(largest.count);

  std::array<logp::LinkCosts, level_count> costs;
  for (Level level : {Level::node, Level::cluster})
    for (int other = 1; other < size; ++other)
      if (platform.level(ProcessorId(0), ProcessorId(static_cast<std::size_t>(other))) == level) {
        costs[static_cast<std::size_t>(level)] = measure_pair(0, other, rank, sizes, communicator);
        break;
      }
  if (rank != 0) return std::nullopt;
  return logp::Machine(std::move(platform), std::move(costs));
}

}  // namespace takt::pipeline
