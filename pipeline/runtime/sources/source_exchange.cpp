#include "pipeline/runtime/sources/source_exchange.hpp"

#include "core/system/clock.hpp"
#include "logp/mpi/blocking.hpp"

namespace takt::pipeline {

namespace {

constexpr int source_tag = 1;

}  // namespace

SourceExchange::SourceExchange(MPI_Comm communicator, bool has_sources) : communicator_(communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const std::vector<int> all = mpi::gather(has_sources ? 1 : 0, communicator);
  int first = -1;
  for (int other = 0; other < static_cast<int>(all.size()); ++other) {
    if (all[static_cast<std::size_t>(other)] == 0) continue;
    if (first < 0) first = other;
    if (has_sources && other != rank) others_.push_back(other);
  }
  decides_ = first == rank;
}

void SourceExchange::exchange(sensors::SourceGroup& group) {
  for (const sensors::GroupMessage& message : group.take_outgoing())
    for (const int other : others_) {
      Sent& sent = sent_.emplace_back(Sent{.message = message});
      MPI_Isend(&sent.message, sizeof(sent.message), MPI_BYTE, other, source_tag, communicator_.get(),
                &sent.request);
    }
  while (!sent_.empty()) {
    int is_done = 0;
    MPI_Test(&sent_.front().request, &is_done, MPI_STATUS_IGNORE);
    if (is_done == 0) break;
    sent_.pop_front();
  }
  sensors::GroupMessage message;
  while (receive(message)) group.take(message, now_ns());
}

bool SourceExchange::receive(sensors::GroupMessage& message) {
  if (others_.empty()) return false;
  int has_come = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, source_tag, communicator_.get(), &has_come, &status);
  if (has_come == 0) return false;
  MPI_Recv(&message, sizeof(message), MPI_BYTE, status.MPI_SOURCE, source_tag, communicator_.get(),
           MPI_STATUS_IGNORE);
  return true;
}

void SourceExchange::end() {
  sensors::GroupMessage ignored;
  while (!sent_.empty()) {
    while (receive(ignored)) {
    }
    int is_done = 0;
    MPI_Test(&sent_.front().request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0) sent_.pop_front();
  }
  mpi::barrier(communicator_.get());
  while (receive(ignored)) {
  }
}

}  // namespace takt::pipeline
