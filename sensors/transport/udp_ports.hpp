#pragma once
/// The sockets behind a source's ports.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>

#include "sensors/transport/udp_options.hpp"
#include "sensors/transport/udp_socket.hpp"

namespace takt::sensors {

/// One socket a port, or, where more threads receive than there are ports, one a thread: those of a port are
/// then a group, lane after lane and round again.
class UdpPorts {
 public:
  /// The options are valid, and outlive it.
  UdpPorts(boost::asio::io_context& context, const UdpOptions& options);

  /// Throws WorkError when a port cannot be opened now.
  void check() const;
  /// Throws WorkError.
  void open();

  [[nodiscard]] std::size_t size() const { return sockets_.size(); }
  [[nodiscard]] boost::asio::ip::udp::socket& socket(std::size_t index) { return sockets_[index]; }
  [[nodiscard]] std::uint16_t port(std::size_t index) const {
    return sockets_[index].local_endpoint().port();
  }
  [[nodiscard]] std::size_t lane(std::size_t index) const { return index % options_.ports.size(); }
  /// Of each lane.
  [[nodiscard]] std::vector<std::uint16_t> ports() const;
  /// Those that are listened to; all where there is none.
  [[nodiscard]] const std::vector<boost::asio::ip::address>& senders() const { return senders_; }
  /// The least receive buffer that the kernel gave.
  [[nodiscard]] Bytes least_buffer() const { return least_buffer_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  /// Whether the kernel does so for all sockets.
  [[nodiscard]] bool coalesce();
  [[nodiscard]] bool stamp();

  /// Datagrams that the kernel has thrown away since the sockets were opened. To be called at least once for
  /// 2^32 of them.
  [[nodiscard]] std::uint64_t count_drops();

 private:
  [[nodiscard]] UdpEndpoint endpoint(std::uint16_t port) const;
  void open_socket(const UdpEndpoint& local);

  boost::asio::io_context& context_;
  const UdpOptions& options_;
  std::vector<boost::asio::ip::address> senders_;
  std::vector<boost::asio::ip::udp::socket> sockets_;
  std::vector<std::uint64_t> drops_;
  Bytes least_buffer_;
  std::vector<std::string> warnings_;
};

}  // namespace takt::sensors
