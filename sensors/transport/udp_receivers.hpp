#pragma once
/// Threads that receive datagrams for the frame-assembling thread.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sensors/packets/packet_nap.hpp"
#include "sensors/transport/datagram_batch.hpp"

namespace takt::sensors {

/// Each thread has its own sockets and a ring of batches to the assembling thread: one writer, one
/// reader, no locks, no allocation after construction. Frames belong to the assembling thread;
/// payloads are therefore copied and not received directly at their places.
///
/// No thread may run ahead: if the packets of a lane arrive at two sockets and one thread is not
/// scheduled, its packets would count as late. Batches are therefore consumed in the order in which the
/// kernel received their first datagrams. A batch is consumed only after every receiver without a batch
/// has found its sockets empty since that batch was received. A receiver that does not check (not
/// scheduled) delays the other receivers by at most a second; meanwhile the kernel's buffers hold the
/// data.
class UdpReceivers {
 public:
  struct Socket {
    int descriptor = -1;
    std::size_t lane = 0;
    /// For messages.
    std::uint16_t port = 0;
  };
  struct Options {
    /// Whole datagrams, with timestamps if the kernel supports them.
    BatchShape shape;
    /// Datagrams of a socket per call.
    std::size_t most_at_once = 1;
    PacketNap::Limits nap;
    /// One per thread, or none.
    std::vector<unsigned> cores;
  };
  /// The result of one call.
  struct Received {
    DatagramBatch batch;
    std::size_t lane = 0;
    /// Kernel time of the first datagram, if available; orders the batches.
    std::int64_t arrival_ns = 0;
    /// Time after the call (now_ns).
    std::int64_t at_ns = 0;
  };

  /// `sockets` of each thread; they must outlive the object.
  UdpReceivers(const Options& options, const std::vector<std::vector<Socket>>& sockets);
  ~UdpReceivers();

  void start();
  /// Joins the threads; the batches already received remain available.
  void stop();

  /// Returns the next batch, or null if there is none until this time (now_ns). Rethrows the receivers'
  /// errors. `next` and `give_back` are called by one thread.
  [[nodiscard]] Received* next(std::int64_t latest_ns);
  /// Releases the batch that `next` returned.
  void give_back();

 private:
  class Receiver;
  [[nodiscard]] Received* choose(std::int64_t& wake_ns);
  void wake();

  std::vector<std::unique_ptr<Receiver>> receivers_;
  /// Owned by the consuming thread: the receiver whose batch it holds.
  std::size_t taken_ = 0;
  std::atomic<bool> stopping_{false};
  /// Whether the consuming thread sleeps; a futex.
  alignas(64) std::atomic<std::uint32_t> sleeping_{0};
};

/// Binds the calling thread. Throws WorkError with the system's reason.
void bind_to_processor(unsigned processor);

}  // namespace takt::sensors
