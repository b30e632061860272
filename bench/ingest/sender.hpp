#pragma once
/// Packets as fast as they can be sent, for all receivers alike.

#include <atomic>
#include <cstdint>
#include <thread>

#include "sensors/lofar/format.hpp"

namespace takt::bench {

/// Sends the packets of one lane to a port of this computer on a thread of its own, bound to processor 0,
/// until `stop`. Each has the next time, and the same payload.
class PacketSender {
 public:
  /// With `segments` above 1 so many packets are handed to the kernel as one (GSO).
  PacketSender(const sensors::LofarFormat& format, std::uint16_t port, std::size_t segments);
  ~PacketSender() { stop(); }

  void stop();
  /// After `stop`.
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::int64_t cpu_ns() const { return cpu_ns_; }

 private:
  void send(sensors::LofarFormat format, std::uint16_t port, std::size_t segments);

  std::atomic<bool> stopping_{false};
  std::uint64_t sent_ = 0;
  std::int64_t cpu_ns_ = 0;
  std::thread thread_;
};

/// Processor time of the calling thread, and of all threads.
[[nodiscard]] std::int64_t thread_cpu_ns();
[[nodiscard]] std::int64_t process_cpu_ns();
void bind_to_core(unsigned core);

}  // namespace takt::bench
