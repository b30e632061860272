#include "pipeline/runtime/channels/clocks.hpp"

#include <limits>

#include "core/system/clock.hpp"
#include "logp/mpi/blocking.hpp"

namespace takt::pipeline {

namespace {

constexpr int round_trips = 50;
constexpr int tag = 0;

void send(std::int64_t value, int peer, MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&value, 1, MPI_INT64_T, peer, tag, communicator, &request);
  mpi::wait(request);
}

std::int64_t receive(int peer, MPI_Comm communicator) {
  std::int64_t value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT64_T, peer, tag, communicator, &request);
  mpi::wait(request);
  return value;
}

void answer(MPI_Comm communicator) {
  for (int i = 0; i < round_trips; ++i) {
    (void)receive(0, communicator);
    send(now_ns(), 0, communicator);
  }
}

std::int64_t ask(int peer, MPI_Comm communicator) {
  std::int64_t offset = 0, quickest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < round_trips; ++i) {
    const std::int64_t sent = now_ns();
    send(sent, peer, communicator);
    const std::int64_t other = receive(peer, communicator), received = now_ns();
    if (received - sent >= quickest) continue;
    quickest = received - sent;
    offset = other - (sent + quickest / 2);
  }
  return offset;
}

}  // namespace

std::vector<std::int64_t> clock_offsets(const std::vector<int>& nodes, MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::vector<std::int64_t> offsets(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // A node's number is that of its first rank.
    const auto first = static_cast<std::size_t>(nodes[i]);
    if (first == 0) continue;
    const bool is_first = first == i;
    if (rank == 0) offsets[i] = is_first ? ask(static_cast<int>(i), communicator) : offsets[first];
    if (rank == static_cast<int>(i) && is_first) answer(communicator);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(offsets.data(), static_cast<int>(offsets.size()), MPI_INT64_T, 0, communicator, &request);
  mpi::wait(request);
  return offsets;
}

}  // namespace takt::pipeline
