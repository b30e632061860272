#pragma once
/// How packets of any format are received over UDP.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sensors/frames/frame_queue.hpp"

namespace takt::sensors {

struct UdpOptions {
  /// Local address to receive on, and one port a lane; port 0 takes any free one (see LofarUdpSource::ports).
  /// The loopback takes what this computer sends; 0.0.0.0 what anybody does; a multicast group is joined.
  std::string address = "127.0.0.1";
  /// Name of the only network interface to receive on; empty: any.
  std::string interface;
  /// Addresses whose datagrams are taken; none: anybody's.
  std::vector<std::string> senders;
  std::vector<std::uint16_t> ports;
  /// Receive buffer asked of the kernel for each port. Below about 8 MiB a full station loses packets.
  Bytes socket_buffer{8u << 20};
  /// Complete frames that may wait for the pipeline, beside those being assembled, and what happens to the
  /// next one.
  std::size_t depth = 8;
  WhenFull when_full = WhenFull::drop;
  /// The stream is over when nothing good came for this long after the first good packet; 0: only `stop` ends
  /// it.
  Time idle_timeout{0};
  /// It is an error when no good packet came for this long after `start`; 0: wait for ever.
  Time start_timeout{0};
  /// Whether the kernel may hand over several datagrams as one (UDP_GRO), where it knows how to.
  bool coalesce = true;
  /// Processor to which the thread is bound that puts frames together.
  std::optional<unsigned> core;
  /// Threads that receive. One: that thread does it itself, payloads straight to their places. More: they
  /// share the ports, or, where they are more than the ports, a port is a group of sockets among which the
  /// kernel divides senders (SO_REUSEPORT).
  std::size_t receivers = 1;
  /// Processors to which they are bound, one each; none: any.
  std::vector<unsigned> receiver_cores;
  /// Whether the kernel tells when each datagram came, for the counter `receive_delay_high_water`.
  bool timestamps = false;
};

inline constexpr std::size_t most_receivers = 64;

/// Throws OptionError.
void validate(const UdpOptions& options, std::size_t largest_packet);

}  // namespace takt::sensors
