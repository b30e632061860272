#pragma once
/// How messages are sent and received while they are measured.

#include <cstddef>
#include <functional>
#include <memory>

#include <mpi.h>

namespace takt::logp {

/// One rank's end of a two-way line to another rank, for messages of one size; the other rank has the
/// same. Messages arrive in the order in which they were sent.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  /// Sends from a slot of memory as one of many messages; returns when the next one may be sent.
  virtual void send(std::size_t slot) = 0;
  /// Starts to send a lone message; returns as soon as the processor is free.
  virtual void start(std::size_t slot) = 0;
  /// Waits for the next message and takes it into a slot.
  virtual void receive(std::size_t slot) = 0;
  /// Waits until the memory of every message may be written again.
  virtual void flush() = 0;
  /// Writes into the slot that is sent next, as the task does whose result it carries; for an endpoint that
  /// receives elsewhere than it sends from. A message whose bytes its sender did not just write is copied
  /// several times faster, since they lie in both processors' caches.
  virtual void fill(std::size_t slot) = 0;
};

/// A line between two ranks, as one of them sees it.
struct LineTo {
  int peer = 0;
  /// Different lines between two ranks have different tags.
  int tag = 0;
  std::size_t message_bytes = 0;
  /// Slots are so large, a message at least; lines that are used at the same time have slots of one size.
  std::size_t slot_bytes = message_bytes;
};

/// Makes this rank's end of a line. Called on both ranks.
using EndpointFactory = std::function<std::unique_ptr<Endpoint>(const LineTo& line)>;

/// What messages carry.
enum class Data : std::uint8_t {
  /// Bytes that their sender has just written or received, as in a pipeline.
  fresh,
  /// The same bytes again and again, as benchmarks of networks do; they end up in both processors' caches.
  reused
};

/// Memory from which messages are sent and into which they are received, shared by all plain endpoints of
/// a rank.
class Arena {
 public:
  /// Slots for `bytes` in all.
  Arena(std::size_t bytes, Data data);

  [[nodiscard]] Data data() const { return data_; }
  /// How many slots of this size there are.
  [[nodiscard]] std::size_t slots(std::size_t slot_bytes) const;
  [[nodiscard]] std::byte* outgoing(std::size_t slot, std::size_t slot_bytes) const;
  [[nodiscard]] std::byte* incoming(std::size_t slot, std::size_t slot_bytes) const;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::size_t bytes_;
  Data data_;
  std::unique_ptr<std::byte[], Free> memory_;
};

/// MPI_Send in bursts, MPI_Isend otherwise, and MPI_Recv. With fresh data a slot is sent from the memory into
/// which it was received, so that messages that go to and fro carry fresh data by themselves.
[[nodiscard]] EndpointFactory plain_endpoints(MPI_Comm communicator, const Arena& arena);

}  // namespace takt::logp
