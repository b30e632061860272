#include "sensors/transport/udp_socket.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <optional>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

using boost::asio::ip::udp;
using ErrorCode = boost::system::error_code;

/// Linux defines the names of SO_MEMINFO's fields in a header that conflicts with the C library's.
constexpr int so_meminfo = 55;
constexpr std::size_t meminfo_drops = 8;
constexpr std::size_t meminfo_fields = 9;

template <class Value>
bool set_option(int descriptor, int level, int name, const Value& value) {
  return ::setsockopt(descriptor, level, name, &value, sizeof value) == 0;
}

void store(const boost::asio::ip::address& address, sockaddr_storage& to) {
  const udp::endpoint endpoint(address, 0);
  std::memcpy(&to, endpoint.data(), endpoint.size());
}

/// Joins for all senders, or for each of the given ones.
bool join_group(int descriptor, const boost::asio::ip::address& group, unsigned interface,
                const std::vector<boost::asio::ip::address>& senders) {
  const int level = group.is_v6() ? IPPROTO_IPV6 : IPPROTO_IP;
  if (senders.empty()) {
    group_req request{};
    request.gr_interface = interface;
    store(group, request.gr_group);
    return set_option(descriptor, level, MCAST_JOIN_GROUP, request);
  }
  for (const boost::asio::ip::address& sender : senders) {
    group_source_req request{};
    request.gsr_interface = interface;
    store(group, request.gsr_group);
    store(sender, request.gsr_source);
    if (!set_option(descriptor, level, MCAST_JOIN_SOURCE_GROUP, request)) return false;
  }
  return true;
}

}  // namespace

boost::asio::ip::address address_of(const sockaddr_storage& from) {
  if (from.ss_family == AF_INET6) {
    boost::asio::ip::address_v6::bytes_type bytes;
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(from).sin6_addr, bytes.size());
    return boost::asio::ip::address_v6(bytes);
  }
  return boost::asio::ip::address_v4(ntohl(reinterpret_cast<const sockaddr_in&>(from).sin_addr.s_addr));
}

udp::socket open_to_receive(boost::asio::io_context& context, const UdpEndpoint& endpoint) {
  const auto fail = [&](const std::string& reason) {
    throw WorkError(fmt::format("cannot receive on {} port {}{}: {}", endpoint.address, endpoint.port,
                                endpoint.interface.empty() ? "" : " of " + endpoint.interface, reason));
  };
  const boost::asio::ip::address address = boost::asio::ip::make_address(endpoint.address);
  const udp::endpoint local(address, endpoint.port);
  udp::socket socket(context);
  ErrorCode error;
  // Programs started by a plug-in must not keep the port open.
  const int opened = ::socket(local.protocol().family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (opened < 0) error.assign(errno, boost::system::system_category());
  if (!error) socket.assign(local.protocol(), opened, error);
  // Several runs may listen to one group.
  if (!error && address.is_multicast()) socket.set_option(udp::socket::reuse_address(true), error);
  if (!error && endpoint.is_shared && !set_option(opened, SOL_SOCKET, SO_REUSEPORT, 1))
    error.assign(errno, boost::system::system_category());
  if (!error) socket.bind(local, error);
  if (error) fail(error.message());
  const int descriptor = socket.native_handle();
  unsigned interface = 0;
  if (!endpoint.interface.empty() && (interface = ::if_nametoindex(endpoint.interface.c_str())) == 0)
    fail("no such network interface");
  if (address.is_multicast()) {
    if (!join_group(descriptor, address, interface, endpoint.senders))
      fail(fmt::format("joining the group failed: {}", std::strerror(errno)));
  } else if (interface != 0 &&
             ::setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, endpoint.interface.data(),
                          static_cast<socklen_t>(endpoint.interface.size())) != 0) {
    fail(std::strerror(errno));
  }
  return socket;
}

/// The kernel doubles the value for its own needs and returns the doubled one.
Bytes enlarge_receive_buffer(udp::socket& socket, Bytes wanted) {
  const int descriptor = socket.native_handle();
  const int bytes = static_cast<int>(wanted.count);
  if (!set_option(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, bytes))
    set_option(descriptor, SOL_SOCKET, SO_RCVBUF, bytes);
  int doubled = 0;
  socklen_t length = sizeof doubled;
  ::getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &doubled, &length);
  return Bytes{static_cast<std::uint64_t>(doubled / 2)};
}

bool coalesce_datagrams(udp::socket& socket) {
  return set_option(socket.native_handle(), SOL_UDP, UDP_GRO, 1);
}

bool stamp_datagrams(udp::socket& socket) {
  return set_option(socket.native_handle(), SOL_SOCKET, SO_TIMESTAMPNS, 1);
}

namespace {

/// Returns the arrival time of the next received datagram, or nothing.
std::optional<std::chrono::nanoseconds> stamp_of_next(int socket) {
  std::array<std::byte, 64> control;
  std::byte content;
  iovec piece{&content, 1};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (::recvmsg(socket, &message, MSG_DONTWAIT) < 0) return {};
  const cmsghdr* const told = CMSG_FIRSTHDR(&message);
  if (!told || told->cmsg_level != SOL_SOCKET || told->cmsg_type != SCM_TIMESTAMPNS) return {};
  timespec time{};
  std::memcpy(&time, CMSG_DATA(told), sizeof time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

StampedArrivals::StampedArrivals() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  using namespace std::chrono_literals;
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof own;
  if (socket_ < 0 || ::bind(socket_, reinterpret_cast<const sockaddr*>(&own), length) != 0 ||
      ::getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &length) != 0 ||
      ::connect(socket_, reinterpret_cast<const sockaddr*>(&own), length) != 0 ||
      !set_option(socket_, SOL_SOCKET, SO_TIMESTAMPNS, 1))
    return;
  for (int i = 0; i < 200; ++i) {
    const std::byte nothing{};
    if (::send(socket_, &nothing, 1, 0) != 1) return;
    const auto sent = std::chrono::system_clock::now().time_since_epoch();
    std::this_thread::sleep_for(1ms);
    if (const auto stamp = stamp_of_next(socket_); stamp && *stamp < sent + 500us) return;
  }
}

StampedArrivals::~StampedArrivals() {
  if (socket_ >= 0) ::close(socket_);
}

/// Queried instead of read from SO_RXQ_OVFL messages, which arrive only with the next packet.
std::uint32_t kernel_drops(const udp::socket& socket) {
  std::array<std::uint32_t, meminfo_fields> info{};
  socklen_t length = sizeof info;
  const int descriptor = const_cast<udp::socket&>(socket).native_handle();
  return ::getsockopt(descriptor, SOL_SOCKET, so_meminfo, info.data(), &length) == 0 ? info[meminfo_drops]
                                                                                     : 0;
}

}  // namespace takt::sensors
