#pragma once
/// A pause of a receiving thread in which packets accumulate.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include "core/system/clock.hpp"

namespace takt::sensors {

/// Lets packets accumulate, like interrupt coalescing of network cards, when a wake-up for every few packets
/// would cost more than their processing. The pause is shorter than the time that fills the smallest socket
/// buffer, and so short that it hardly delays a frame.
class PacketNap {
 public:
  struct Limits {
    /// Sizes of a socket buffer and of a packet.
    std::size_t buffer_bytes = 0, packet_bytes = 0;
    /// Time between frames; 0: unknown.
    double frame_ns = 0;
  };

  explicit PacketNap(const Limits& limits) : limits_(limits) {}

  void came(std::size_t packets) { came_ += packets; }

  /// Pauses after all available packets were read. Returns whether it did pause.
  bool rest() {
    const std::int64_t now = now_ns();
    const double elapsed = static_cast<double>(std::max<std::int64_t>(now - last_ns_, 1));
    const double packets_per_ns = static_cast<double>(std::exchange(came_, 0)) / elapsed;
    last_ns_ = now;
    const double room = static_cast<double>(limits_.buffer_bytes) / buffer_share;
    const double frame_ns = limits_.frame_ns > 0 ? limits_.frame_ns : usual_frame_ns;
    const double length =
        std::min({longest_ns, frame_ns / frame_share,
                  room / (packets_per_ns * static_cast<double>(limits_.packet_bytes) + 1e-9)});
    if (packets_per_ns * length < worth_packets) return false;
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(length)));
    return true;
  }

 private:
  /// Longest pause, the least number of packets that justify one, and the pause's limit as a fraction of a
  /// socket buffer and of a frame's time (1/n).
  static constexpr double longest_ns = 4'000'000, usual_frame_ns = 4'000'000;
  static constexpr double worth_packets = 4;
  static constexpr double buffer_share = 8, frame_share = 8;

  Limits limits_;
  std::uint64_t came_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace takt::sensors
