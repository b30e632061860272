#pragma once
/// The options of UDP reception for packets of any format.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sensors/frames/frame_queue.hpp"

namespace takt::sensors {

struct UdpOptions {
  /// Local address and one port per lane; port 0 selects any free one (see LofarUdpSource::ports). The
  /// loopback address accepts local datagrams only; 0.0.0.0 accepts any; a multicast group is joined.
  std::string address = "127.0.0.1";
  /// Name of the only network interface to receive on; empty: any.
  std::string interface;
  /// Addresses of the accepted senders; empty: any.
  std::vector<std::string> senders;
  std::vector<std::uint16_t> ports;
  /// Receive buffer requested from the kernel for each port. Below about 8 MiB a full station loses packets.
  Bytes socket_buffer{8u << 20};
  /// Largest number of complete frames waiting for the pipeline, in addition to those under assembly, and the
  /// action for the next one.
  std::size_t depth = 8;
  WhenFull when_full = WhenFull::drop;
  /// The stream ends after this time without a valid packet, counted from the first one; 0: only `stop` ends
  /// it.
  Time idle_timeout{0};
  /// Reception fails if no valid packet arrives within this time after `start`; 0: waits indefinitely.
  Time start_timeout{0};
  /// Whether the kernel may merge several datagrams into one (UDP_GRO), if supported.
  bool coalesce = true;
  /// Processor to which the frame-assembling thread is bound.
  std::optional<unsigned> core;
  /// Number of receiving threads. One: the assembling thread receives, payloads directly at their places.
  /// More: the threads share the ports. With more threads than ports, each port is a group of sockets, and
  /// the kernel distributes the senders among them (SO_REUSEPORT).
  std::size_t receivers = 1;
  /// Processors to which they are bound, one each; empty: any.
  std::vector<unsigned> receiver_cores;
  /// Whether the kernel records arrival times of datagrams, for the counter `receive_delay_high_water`.
  bool timestamps = false;
};

inline constexpr std::size_t most_receivers = 64;

/// Throws OptionError.
void validate(const UdpOptions& options, std::size_t largest_packet);

}  // namespace takt::sensors
