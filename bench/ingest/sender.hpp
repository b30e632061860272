#pragma once
/// Sends packets as fast as possible, the same for all receivers.

#include <atomic>
#include <cstdint>
#include <thread>

#include "sensors/lofar/format.hpp"

namespace takt::bench {

/// Sends the packets of one lane to a port of this computer until `stop`, on its own thread bound to core 0.
/// Each packet has the next timestamp and the same payload.
class PacketSender {
 public:
  /// With `segments` above 1, that many packets are passed to the kernel as one (GSO).
  PacketSender(const sensors::LofarFormat& format, std::uint16_t port, std::size_t segments);
  ~PacketSender() { stop(); }

  void stop();
  /// Valid after `stop`.
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::int64_t cpu_ns() const { return cpu_ns_; }

 private:
  void send(sensors::LofarFormat format, std::uint16_t port, std::size_t segments);

  std::atomic<bool> stopping_{false};
  std::uint64_t sent_ = 0;
  std::int64_t cpu_ns_ = 0;
  std::thread thread_;
};

/// Returns the processor time of the calling thread, or of all threads.
[[nodiscard]] std::int64_t thread_cpu_ns();
[[nodiscard]] std::int64_t process_cpu_ns();
void bind_to_core(unsigned core);

}  // namespace takt::bench
