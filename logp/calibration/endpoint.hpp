#pragma once
/// Methods of sending and receiving messages in measurements.

#include <cstddef>
#include <functional>
#include <memory>

#include <mpi.h>

namespace takt::logp {

/// One rank's end of a two-way line to another rank, for messages of one size; the other rank has the
/// opposite end. Messages arrive in the order of sending.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  /// Sends from a memory slot as one of many messages; returns when the next one may be sent.
  virtual void send(std::size_t slot) = 0;
  /// Starts to send a single message; returns as soon as the processor is free.
  virtual void start(std::size_t slot) = 0;
  /// Waits for the next message and stores it in a slot.
  virtual void receive(std::size_t slot) = 0;
  /// Waits until the memory of every message may be written again.
  virtual void flush() = 0;
  /// Writes into the next slot to send, as the task that produces the message would; for an endpoint that
  /// receives into other memory than it sends from. A message that its sender has not just written is copied
  /// several times faster, since its bytes are in both processors' caches.
  virtual void fill(std::size_t slot) = 0;
};

/// A line between two ranks, from the view of one of them.
struct LineTo {
  int peer = 0;
  /// Different lines between two ranks have different tags.
  int tag = 0;
  std::size_t message_bytes = 0;
  /// Size of a slot, at least a message; lines that are used together have slots of one size.
  std::size_t slot_bytes = message_bytes;
};

/// Makes this rank's end of a line. Must be called on both ranks.
using EndpointFactory = std::function<std::unique_ptr<Endpoint>(const LineTo& line)>;

/// The contents of messages.
enum class Data : std::uint8_t {
  /// Bytes that their sender has just written or received, as in a pipeline.
  fresh,
  /// The same bytes every time, as in network benchmarks; they stay in both processors' caches.
  reused
};

/// Memory from which messages are sent and into which they are received, shared by all plain endpoints of a
/// rank.
class Arena {
 public:
  /// Allocates slots for `bytes` in total.
  Arena(std::size_t bytes, Data data);

  [[nodiscard]] Data data() const { return data_; }
  /// Returns the number of slots of this size.
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

/// MPI_Send in bursts, otherwise MPI_Isend, and MPI_Recv. With fresh data a slot is sent from the memory into
/// which it was received, so round trips always carry fresh data.
[[nodiscard]] EndpointFactory plain_endpoints(MPI_Comm communicator, const Arena& arena);

}  // namespace takt::logp
