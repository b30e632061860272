#pragma once
/// Sockets that receive datagrams, with what the kernel has to be asked for.

#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/ip/udp.hpp>
#include <sys/socket.h>

#include "core/units.hpp"

namespace takt::sensors {

/// What a socket is to receive.
struct UdpEndpoint {
  /// Of this computer, or of a multicast group, which is then joined.
  std::string address = "127.0.0.1";
  /// Name of the only network interface to receive on (`eth0`); empty: as the address says, and for a group
  /// as the routes say.
  std::string interface = {};
  std::uint16_t port = 0;
  /// The only senders; empty: anybody. The kernel is asked for a group's; the rest is the receiver's to
  /// check.
  std::vector<boost::asio::ip::address> senders = {};
  /// Other sockets of this user may be bound to the same port if they say so, too: the kernel gives each
  /// sender's datagrams to one of them (SO_REUSEPORT).
  bool is_shared = false;
};

[[nodiscard]] boost::asio::ip::address address_of(const sockaddr_storage& from);

/// Throws WorkError with the address and the system's reason.
[[nodiscard]] boost::asio::ip::udp::socket open_to_receive(boost::asio::io_context& context,
                                                           const UdpEndpoint& endpoint);

/// Asks for a receive buffer, beyond net.core.rmem_max where we may. What the kernel gave.
Bytes enlarge_receive_buffer(boost::asio::ip::udp::socket& socket, Bytes wanted);

/// The kernel may hand over several datagrams as one (UDP_GRO, Linux 5.0); whether it knows how to.
bool coalesce_datagrams(boost::asio::ip::udp::socket& socket);

/// The kernel notes when each datagram came; whether it does.
bool stamp_datagrams(boost::asio::ip::udp::socket& socket);

/// While one is there the kernel notes when datagrams come, whoever they are for. It begins to some time
/// after it is asked, and tells the time of reception instead until then: the constructor waits until it
/// does, a fifth of a second at most.
class StampedArrivals {
 public:
  StampedArrivals();
  ~StampedArrivals();
  StampedArrivals(const StampedArrivals&) = delete;
  StampedArrivals& operator=(const StampedArrivals&) = delete;

 private:
  int socket_;
};

/// Datagrams that the kernel threw away because the buffer was full, since the socket was opened; wraps at
/// 2^32.
[[nodiscard]] std::uint32_t kernel_drops(const boost::asio::ip::udp::socket& socket);

}  // namespace takt::sensors
