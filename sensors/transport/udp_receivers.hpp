#pragma once
/// Threads that receive datagrams for the one that puts frames together.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sensors/packets/packet_nap.hpp"
#include "sensors/transport/datagram_batch.hpp"

namespace takt::sensors {

/// Each thread has sockets of its own, and a ring of batches between itself and the thread that takes them:
/// one writer, one reader, no locks, no memory after construction. Frames belong to the thread that takes,
/// which is why payloads are copied here and not received at their places.
///
/// What no thread may do is run ahead: of lanes whose packets lie in two sockets, one would be taken for
/// late when the other one's thread gets no processor for a while. Batches are therefore taken in the order
/// in which the kernel got their first datagrams, and one is only taken when every receiver that has none has
/// looked into its sockets since that batch was received, and found nothing. For one that does not look (the
/// scheduler has it wait) the others are held back for a second at most; meanwhile the kernel's buffers hold
/// what comes.
class UdpReceivers {
 public:
  struct Socket {
    int descriptor = -1;
    std::size_t lane = 0;
    /// For messages.
    std::uint16_t port = 0;
  };
  struct Options {
    /// Of whole datagrams, with timestamps where the kernel knows them.
    BatchShape shape;
    /// Datagrams of a socket with one call.
    std::size_t most_at_once = 1;
    PacketNap::Limits nap;
    /// One a thread, or none.
    std::vector<unsigned> cores;
  };
  /// What one call gave.
  struct Received {
    DatagramBatch batch;
    std::size_t lane = 0;
    /// When the kernel got the first one, by its clock, where it says so: batches' order.
    std::int64_t came_ns = 0;
    /// Behind the call (now_ns).
    std::int64_t at_ns = 0;
  };

  /// `sockets` of each thread; they must outlive it.
  UdpReceivers(const Options& options, const std::vector<std::vector<Socket>>& sockets);
  ~UdpReceivers();

  void start();
  /// Waits for the threads; what they had received can still be taken.
  void stop();

  /// The next batch, or null when there is none at this moment (now_ns). Throws what receiving threw. One
  /// thread calls it, and `give_back`.
  [[nodiscard]] Received* next(std::int64_t latest_ns);
  /// The batch that `next` gave.
  void give_back();

 private:
  class Receiver;
  [[nodiscard]] Received* choose(std::int64_t& wake_ns);
  void wake();

  std::vector<std::unique_ptr<Receiver>> receivers_;
  /// The taking thread's own: whose batch it has.
  std::size_t taken_ = 0;
  std::atomic<bool> stopping_{false};
  /// Whether the taking thread sleeps; a futex.
  alignas(64) std::atomic<std::uint32_t> sleeping_{0};
};

/// Binds the calling thread. Throws WorkError with the system's reason.
void bind_to_processor(unsigned processor);

}  // namespace takt::sensors
