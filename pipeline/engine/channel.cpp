#include "pipeline/engine/channel.hpp"

#include <cstring>

namespace takt::pipeline {

SendChannel::SendChannel(const ChannelPlan& plan, std::size_t depth, MPI_Comm communicator)
    : plan_(plan),
      communicator_(communicator),
      messages_(depth, Bytes{plan.bytes}),
      requests_(depth, MPI_REQUEST_NULL) {}

bool SendChannel::try_acquire() {
  int done = 0;
  MPI_Test(&requests_[next_], &done, MPI_STATUS_IGNORE);
  return done != 0;
}

void SendChannel::send(const Envelope& envelope) {
  std::size_t bytes = sizeof(Envelope);
  for (std::size_t i = 0; i < plan_.parts.size(); ++i)
    if ((envelope.present >> i & 1U) != 0)
      bytes = plan_.parts[i].offset + header_bytes + plan_.parts[i].bytes;
  std::memcpy(message(), &envelope, sizeof(envelope));
  MPI_Issend(message(), static_cast<int>(bytes), MPI_BYTE, plan_.peer, plan_.tag, communicator_,
             &requests_[next_]);
  next_ = (next_ + 1) % requests_.size();
}

void SendChannel::progress() {
  (void)try_acquire();
}

bool SendChannel::idle() {
  int done = 0;
  MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  return done != 0;
}

ReceiveChannel::ReceiveChannel(const ChannelPlan& plan, std::size_t depth, MPI_Comm communicator)
    : plan_(plan),
      communicator_(communicator),
      messages_(depth, Bytes{plan.bytes}),
      requests_(depth, MPI_REQUEST_NULL) {
  for (std::size_t i = 0; i < depth; ++i) post(i);
}

ReceiveChannel::~ReceiveChannel() {
  for (MPI_Request& request : requests_) {
    if (request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

bool ReceiveChannel::try_receive() {
  int done = 0;
  MPI_Test(&requests_[next_], &done, MPI_STATUS_IGNORE);
  return done != 0;
}

const Envelope& ReceiveChannel::envelope() const {
  return *reinterpret_cast<const Envelope*>(message());
}

void ReceiveChannel::release() {
  post(next_);
  next_ = (next_ + 1) % requests_.size();
}

void ReceiveChannel::post(std::size_t index) {
  MPI_Irecv(messages_.frame(index).data(), static_cast<int>(plan_.bytes), MPI_BYTE, plan_.peer, plan_.tag,
            communicator_, &requests_[index]);
}

}  // namespace takt::pipeline
