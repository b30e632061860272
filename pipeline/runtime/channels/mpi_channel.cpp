#include "pipeline/runtime/channels/mpi_channel.hpp"

#include <cstring>

namespace takt::pipeline {

namespace {

/// Least size of a message whose headers are sent separately. MPI delivers smaller messages as a whole.
constexpr std::size_t large = 32 << 10;

std::size_t head_bytes(const ChannelPlan& plan) {
  return header_bytes * (1 + plan.parts.size());
}

bool is_done(MPI_Request& request) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

}  // namespace

MpiSendChannel::MpiSendChannel(const ChannelPlan& plan, std::size_t depth, MPI_Comm communicator)
    : SendChannel(plan),
      communicator_(communicator),
      messages_(depth, Bytes{plan.bytes}),
      heads_(depth, MPI_REQUEST_NULL),
      requests_(depth, MPI_REQUEST_NULL) {
  set_depth(depth);
}

std::uint64_t MpiSendChannel::released() {
  (void)progress();
  return released_;
}

bool MpiSendChannel::progress() {
  for (; released_ < sent(); ++released_) {
    // Tests a request in flight: testing a completed one does not make MPI progress.
    if (!is_done(requests_[released_ % depth()])) return true;
    MPI_Wait(&heads_[released_ % depth()], MPI_STATUS_IGNORE);
  }
  return false;
}

void MpiSendChannel::pass(const Envelope& envelope) {
  std::byte* first = message(sent());
  std::size_t bytes = head_bytes(plan());
  for (std::size_t i = 0; i < plan().parts.size(); ++i)
    if ((envelope.present >> i & 1U) != 0) bytes = plan().parts[i].elements + plan().parts[i].bytes;
  std::memcpy(first, &envelope, sizeof(envelope));
  if (plan().bytes >= large) {
    MPI_Isend(first, static_cast<int>(head_bytes(plan())), MPI_BYTE, plan().peer, plan().tag, communicator_,
              &heads_[sent() % depth()]);
    first += head_bytes(plan());
    bytes -= head_bytes(plan());
  }
  MPI_Issend(first, static_cast<int>(bytes), MPI_BYTE, plan().peer, plan().tag, communicator_,
             &requests_[sent() % depth()]);
}

MpiReceiveChannel::MpiReceiveChannel(const ChannelPlan& plan, std::size_t depth, MPI_Comm communicator)
    : ReceiveChannel(plan),
      communicator_(communicator),
      messages_(depth, Bytes{plan.bytes}),
      heads_(depth, MPI_REQUEST_NULL),
      requests_(depth, MPI_REQUEST_NULL) {
  for (std::size_t i = 0; i < depth; ++i) post(i);
}

MpiReceiveChannel::~MpiReceiveChannel() {
  for (auto* requests : {&heads_, &requests_})
    for (MPI_Request& request : *requests) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

bool MpiReceiveChannel::has_message() {
  // Nothing is posted in the window while all its messages are taken.
  return taken_ < requests_.size() && is_done(heads_[next_]) && is_done(requests_[next_]);
}

bool MpiReceiveChannel::is_moving() {
  return plan().bytes >= large && heads_[next_] == MPI_REQUEST_NULL && requests_[next_] != MPI_REQUEST_NULL;
}

bool MpiReceiveChannel::progress() {
  for (std::size_t ahead = 0; ahead < requests_.size(); ++ahead) {
    const std::size_t index = (next_ + ahead) % requests_.size();
    for (MPI_Request* request : {&heads_[index], &requests_[index]}) {
      if (*request == MPI_REQUEST_NULL) continue;
      (void)is_done(*request);
      return true;
    }
  }
  return false;
}

void MpiReceiveChannel::take() {
  next_ = (next_ + 1) % requests_.size();
  ++taken_;
}

void MpiReceiveChannel::release() {
  post(oldest_);
  oldest_ = (oldest_ + 1) % requests_.size();
  --taken_;
}

void MpiReceiveChannel::post(std::size_t index) {
  std::byte* first = messages_.frame(index).data();
  std::size_t bytes = plan().bytes;
  if (plan().bytes >= large) {
    MPI_Irecv(first, static_cast<int>(head_bytes(plan())), MPI_BYTE, plan().peer, plan().tag, communicator_,
              &heads_[index]);
    first += head_bytes(plan());
    bytes -= head_bytes(plan());
  }
  MPI_Irecv(first, static_cast<int>(bytes), MPI_BYTE, plan().peer, plan().tag, communicator_,
            &requests_[index]);
}

}  // namespace takt::pipeline
