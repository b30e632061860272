#pragma once
/// The sockets of a UDP source's ports.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>

#include "sensors/transport/udp_options.hpp"
#include "sensors/transport/udp_socket.hpp"

namespace takt::sensors {

/// One socket per port or, with more receiving threads than ports, one per thread: the sockets of a port then
/// form a group, assigned round-robin over the lanes.
class UdpPorts {
 public:
  /// The options are valid and outlive the object.
  UdpPorts(boost::asio::io_context& context, const UdpOptions& options);

  /// Throws WorkError if a port cannot be opened now.
  void check() const;
  /// Throws WorkError.
  void open();

  [[nodiscard]] std::size_t size() const { return sockets_.size(); }
  [[nodiscard]] boost::asio::ip::udp::socket& socket(std::size_t index) { return sockets_[index]; }
  [[nodiscard]] std::uint16_t port(std::size_t index) const {
    return sockets_[index].local_endpoint().port();
  }
  [[nodiscard]] std::size_t lane(std::size_t index) const { return index % options_.ports.size(); }
  /// Returns the port of each lane.
  [[nodiscard]] std::vector<std::uint16_t> ports() const;
  /// Returns the accepted senders; empty if all are accepted.
  [[nodiscard]] const std::vector<boost::asio::ip::address>& senders() const { return senders_; }
  /// Returns the smallest receive buffer granted by the kernel.
  [[nodiscard]] Bytes least_buffer() const { return least_buffer_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  /// Returns whether the kernel enabled it for all sockets.
  [[nodiscard]] bool coalesce();
  [[nodiscard]] bool stamp();

  /// Returns the datagrams dropped by the kernel since the sockets were opened. Must be called at least once
  /// per 2^32 drops.
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
