#pragma once
/// A receiving thread's rest while packets gather.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include "core/system/clock.hpp"

namespace takt::sensors {

/// Lets packets gather, as network cards do, where they come so fast that being woken for each few of them
/// would cost more than taking them: no longer than the least of the socket buffers can hold what comes
/// meanwhile, and so short that a frame is hardly later for it.
class PacketNap {
 public:
  struct Limits {
    /// Of a socket buffer, and of a packet.
    std::size_t buffer_bytes = 0, packet_bytes = 0;
    /// From one frame to the next one; 0: not known.
    double frame_ns = 0;
  };

  explicit PacketNap(const Limits& limits) : limits_(limits) {}

  void came(std::size_t packets) { came_ += packets; }

  /// Once all is taken that was there. Whether it did rest.
  bool rest() {
    const std::int64_t now = now_ns();
    const double elapsed = static_cast<double>(std::max<std::int64_t>(now - last_ns_, 1));
    const double packets_a_ns = static_cast<double>(std::exchange(came_, 0)) / elapsed;
    last_ns_ = now;
    const double room = static_cast<double>(limits_.buffer_bytes) / buffer_share;
    const double frame_ns = limits_.frame_ns > 0 ? limits_.frame_ns : usual_frame_ns;
    const double length =
        std::min({longest_ns, frame_ns / frame_share,
                  room / (packets_a_ns * static_cast<double>(limits_.packet_bytes) + 1e-9)});
    if (packets_a_ns * length < worth_packets) return false;
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(length)));
    return true;
  }

 private:
  /// How long it lasts at most, how many packets make it worth while, and the share of a socket buffer and of
  /// a frame's time (one part of so many) that may pass meanwhile.
  static constexpr double longest_ns = 4'000'000, usual_frame_ns = 4'000'000;
  static constexpr double worth_packets = 4;
  static constexpr double buffer_share = 8, frame_share = 8;

  Limits limits_;
  std::uint64_t came_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace takt::sensors
