#pragma once
/// Open ports that no thread reads: the kernel counts the packets that arrive.

#include <cstdint>

#include <boost/asio/io_context.hpp>

#include "sensors/source.hpp"
#include "sensors/transport/udp_options.hpp"
#include "sensors/transport/udp_ports.hpp"

namespace takt::sensors {

/// Takes no time of a processor while packets come. With a receive buffer of the least size, which holds a
/// few packets.
class UnreadPorts final : public PacketCount {
 public:
  /// Throws WorkError when a port cannot be opened.
  explicit UnreadPorts(UdpOptions options);

  [[nodiscard]] std::uint64_t packets() override;

 private:
  UdpOptions options_;
  boost::asio::io_context context_;
  UdpPorts ports_;
  /// Those that were in the buffers.
  std::uint64_t taken_ = 0;
};

}  // namespace takt::sensors
