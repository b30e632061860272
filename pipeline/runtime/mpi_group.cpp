#include "pipeline/runtime/mpi_group.hpp"

#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/units.hpp"
#include "pipeline/runtime/sources/waiting.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

int count_of(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw WorkError(
        fmt::format("a block of {} is too large for the exchange in a group: expected less than 2 GiB",
                    to_string(Bytes{bytes})));
  return static_cast<int>(bytes);
}

}  // namespace

MpiGroup::MpiGroup(MPI_Comm communicator, std::vector<int> ranks, std::size_t own, int tag,
                   std::function<void()> while_waiting)
    : communicator_(communicator),
      ranks_(std::move(ranks)),
      own_(own),
      tag_(tag),
      while_waiting_(std::move(while_waiting)) {
  requests_.reserve(2 * ranks_.size());
}

void MpiGroup::exchange(std::span<const std::span<const std::byte>> outgoing,
                        std::span<const std::span<std::byte>> incoming) {
  requests_.clear();
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    if (i != own_ && !incoming[i].empty())
      MPI_Irecv(incoming[i].data(), count_of(incoming[i].size()), MPI_BYTE, ranks_[i], tag_, communicator_,
                &requests_.emplace_back());
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    if (i != own_ && !outgoing[i].empty())
      MPI_Isend(outgoing[i].data(), count_of(outgoing[i].size()), MPI_BYTE, ranks_[i], tag_, communicator_,
                &requests_.emplace_back());
  if (!outgoing[own_].empty())
    std::memmove(incoming[own_].data(), outgoing[own_].data(), outgoing[own_].size());

  // MPI moves messages only inside its calls.
  constexpr WaitPolicy policy{.is_oversubscribed = true, .naps = true};
  Wait wait(policy, now_ns());
  for (int done = 0; true;) {
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    while_waiting_();
    begin_work();
    wait.pause(true, [](std::int64_t latest) { sleep_until(latest); });
  }
}

}  // namespace takt::pipeline
