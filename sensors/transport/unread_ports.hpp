#pragma once
/// Open ports without a reading thread: the kernel counts the arriving packets.

#include <cstdint>

#include <boost/asio/io_context.hpp>

#include "sensors/source.hpp"
#include "sensors/transport/udp_options.hpp"
#include "sensors/transport/udp_ports.hpp"

namespace takt::sensors {

/// Uses no CPU time while packets arrive. The receive buffer has the least size, a few
/// packets.
class UnreadPorts final : public PacketCount {
 public:
  /// Throws WorkError if a port cannot be opened.
  explicit UnreadPorts(UdpOptions options);

  [[nodiscard]] std::uint64_t packets() override;

 private:
  UdpOptions options_;
  boost::asio::io_context context_;
  UdpPorts ports_;
  /// Packets that were in the buffers.
  std::uint64_t taken_ = 0;
};

}  // namespace takt::sensors
