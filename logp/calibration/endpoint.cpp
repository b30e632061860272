#include "logp/calibration/endpoint.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace takt::logp {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Slots begin at different page offsets, so that they use different cache sets.
constexpr std::size_t stagger = 64;

std::size_t stride(std::size_t message) {
  return (message + page - 1) / page * page + stagger;
}

class PlainEndpoint final : public Endpoint {
 public:
  PlainEndpoint(MPI_Comm communicator, const Arena& arena, const LineTo& line)
      : communicator_(communicator), arena_(arena), line_(line) {
    // Timed calls must not allocate memory.
    started_.reserve(64);
  }

  void send(std::size_t slot) override {
    MPI_Send(arena_.outgoing(slot, line_.slot_bytes), count(), MPI_BYTE, line_.peer, line_.tag,
             communicator_);
  }
  void start(std::size_t slot) override {
    MPI_Isend(arena_.outgoing(slot, line_.slot_bytes), count(), MPI_BYTE, line_.peer, line_.tag,
              communicator_, &started_.emplace_back());
  }
  void receive(std::size_t slot) override {
    MPI_Recv(arena_.incoming(slot, line_.slot_bytes), count(), MPI_BYTE, line_.peer, line_.tag, communicator_,
             MPI_STATUS_IGNORE);
  }
  void flush() override {
    MPI_Waitall(static_cast<int>(started_.size()), started_.data(), MPI_STATUSES_IGNORE);
    started_.clear();
  }
  void fill(std::size_t slot) override {
    if (arena_.data() == Data::fresh)
      std::memset(arena_.outgoing(slot, line_.slot_bytes), ++pattern_, line_.message_bytes);
  }

 private:
  [[nodiscard]] int count() const { return static_cast<int>(line_.message_bytes); }

  MPI_Comm communicator_;
  const Arena& arena_;
  LineTo line_;
  std::vector<MPI_Request> started_;
  unsigned char pattern_ = 0;
};

}  // namespace

Arena::Arena(std::size_t bytes, Data data) : bytes_(stride(bytes)), data_(data) {
  const std::size_t total = data == Data::fresh ? bytes_ : 2 * bytes_;
  const std::size_t unit = total < huge_page ? page : huge_page;
  const std::size_t rounded = (total + unit - 1) / unit * unit;
  void* memory = std::aligned_alloc(unit, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  // A hint: without available huge pages the system uses small ones.
  if (unit == huge_page) ::madvise(memory, rounded, MADV_HUGEPAGE);
  // Touches every page, so that no message includes a page fault.
  std::memset(memory, 1, rounded);
  memory_.reset(static_cast<std::byte*>(memory));
}

void Arena::Free::operator()(std::byte* memory) const {
  std::free(memory);
}

std::size_t Arena::slots(std::size_t slot_bytes) const {
  return std::max<std::size_t>(1, bytes_ / stride(slot_bytes));
}

std::byte* Arena::outgoing(std::size_t slot, std::size_t slot_bytes) const {
  return memory_.get() + slot * stride(slot_bytes);
}

std::byte* Arena::incoming(std::size_t slot, std::size_t slot_bytes) const {
  return outgoing(slot, slot_bytes) + (data_ == Data::fresh ? 0 : bytes_);
}

EndpointFactory plain_endpoints(MPI_Comm communicator, const Arena& arena) {
  return [communicator, &arena](const LineTo& line) {
    return std::make_unique<PlainEndpoint>(communicator, arena, line);
  };
}

}  // namespace takt::logp
