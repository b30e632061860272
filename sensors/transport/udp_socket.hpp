#pragma once
/// Sockets that receive datagrams, with their kernel options.

#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/ip/udp.hpp>
#include <sys/socket.h>

#include "core/units.hpp"

namespace takt::sensors {

/// The address and the options of a receiving socket.
struct UdpEndpoint {
  /// A local address, or a multicast group, which is joined.
  std::string address = "127.0.0.1";
  /// Name of the only network interface to receive on (`eth0`); empty: determined by the address, and for a
  /// group by the routing table.
  std::string interface = {};
  std::uint16_t port = 0;
  /// The accepted senders; empty: any. The kernel filters those of a group; the receiver must check the
  /// others.
  std::vector<boost::asio::ip::address> senders = {};
  /// Other sockets of this user may be bound to the same port with the same option: the kernel assigns each
  /// sender to one of them (SO_REUSEPORT).
  bool is_shared = false;
};

[[nodiscard]] boost::asio::ip::address address_of(const sockaddr_storage& from);

/// Throws WorkError with the address and the system's reason.
[[nodiscard]] boost::asio::ip::udp::socket open_to_receive(boost::asio::io_context& context,
                                                           const UdpEndpoint& endpoint);

/// Requests a receive buffer, beyond net.core.rmem_max if permitted. Returns the granted size.
Bytes enlarge_receive_buffer(boost::asio::ip::udp::socket& socket, Bytes wanted);

/// Lets the kernel merge several datagrams into one (UDP_GRO, Linux 5.0); returns whether it supports that.
bool coalesce_datagrams(boost::asio::ip::udp::socket& socket);

/// Lets the kernel record each datagram's arrival time; returns whether it does.
bool stamp_datagrams(boost::asio::ip::udp::socket& socket);

/// Makes the kernel record arrival times of all datagrams during its lifetime. The kernel starts this some
/// time after the request and reports the time of reception until then. The constructor waits for it, at most
/// 0.2 s.
class StampedArrivals {
 public:
  StampedArrivals();
  ~StampedArrivals();
  StampedArrivals(const StampedArrivals&) = delete;
  StampedArrivals& operator=(const StampedArrivals&) = delete;

 private:
  int socket_;
};

/// Returns the datagrams dropped because the buffer was full since the socket was opened; wraps at
/// 2^32.
[[nodiscard]] std::uint32_t kernel_drops(const boost::asio::ip::udp::socket& socket);

}  // namespace takt::sensors
