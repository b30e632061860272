/// Runs three stages on two ranks of bare MPI, the first two on one: `mpirun -n 2 mpi_peer BYTES WORK MIDDLE
/// SECONDS` prints frames/s. Sends and receives are posted ahead; only frames are sent.

#include <cstdio>
#include <memory>
#include <vector>

#include <mpi.h>

#include "bench/runtime/peer.hpp"

namespace {

using namespace takt::bench;

constexpr int slots = 8, frame_tag = 0, end_tag = 1;

struct Slots {
  explicit Slots(const Case& one) {
    for (int i = 0; i < slots; ++i) frames.push_back(std::make_unique<Frame>(one));
  }
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<MPI_Request> requests = std::vector<MPI_Request>(slots, MPI_REQUEST_NULL);
};

std::uint64_t send_frames(const Case& one) {
  Slots slot(one);
  const Frame source(one), a(one);
  std::uint64_t frames = 0;
  const auto end = Clock::now() + one.duration;
  while (frames % batch != 0 || Clock::now() < end) {
    const std::size_t i = frames++ % slots;
    MPI_Wait(&slot.requests[i], MPI_STATUS_IGNORE);
    run_stage(one.work, source.data(), a.data(), one.count());
    run_stage(one.work, a.data(), slot.frames[i]->data(), one.count());
    MPI_Isend(slot.frames[i]->data(), static_cast<int>(one.count()), MPI_FLOAT, 1, frame_tag, MPI_COMM_WORLD,
              &slot.requests[i]);
  }
  MPI_Waitall(slots, slot.requests.data(), MPI_STATUSES_IGNORE);
  // One message for each receive that is still posted.
  for (int i = 0; i < slots; ++i) MPI_Send(nullptr, 0, MPI_FLOAT, 1, end_tag, MPI_COMM_WORLD);
  return frames;
}

void receive_frames(const Case& one) {
  Slots slot(one);
  const Frame c(one);
  const auto post = [&](std::size_t i) {
    MPI_Irecv(slot.frames[i]->data(), static_cast<int>(one.count()), MPI_FLOAT, 0, MPI_ANY_TAG,
              MPI_COMM_WORLD, &slot.requests[i]);
  };
  for (std::size_t i = 0; i < slots; ++i) post(i);
  for (std::uint64_t k = 0;; ++k) {
    const std::size_t i = k % slots;
    MPI_Status status;
    MPI_Wait(&slot.requests[i], &status);
    if (status.MPI_TAG == end_tag) break;
    run_stage(one.work, slot.frames[i]->data(), c.data(), one.count());
    post(i);
  }
  MPI_Waitall(slots, slot.requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count != 5 || ranks != 2) {
    if (rank == 0) std::fputs("mpirun -n 2 mpi_peer BYTES WORK stateless|stateful SECONDS\n", stderr);
    MPI_Finalize();
    return 2;
  }
  const Case one = parse_case(words + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = Clock::now();
  std::uint64_t frames = 0;
  if (rank == 0)
    frames = send_frames(one);
  else
    receive_frames(one);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%.6g\n",
                static_cast<double>(frames) / std::chrono::duration<double>(Clock::now() - start).count());
  MPI_Finalize();
}
