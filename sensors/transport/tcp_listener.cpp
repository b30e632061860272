#include "sensors/transport/tcp_listener.hpp"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

constexpr int waiting_connections = 16;

}  // namespace

in_addr parse_listen_address(const std::string& text) {
  in_addr address{};
  if (::inet_pton(AF_INET, text.c_str(), &address) != 1)
    throw ConfigError(
        fmt::format("'{}' is not an address to listen on: expected for example 127.0.0.1 (this computer) or "
                    "0.0.0.0 (all)",
                    text));
  return address;
}

TcpListener::TcpListener(const std::string& address, std::uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr = parse_listen_address(address);
  name.sin_port = htons(port);
  socklen_t length = sizeof name;
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (socket_ < 0 || ::bind(socket_, reinterpret_cast<const sockaddr*>(&name), length) != 0 ||
      ::listen(socket_, waiting_connections) != 0 ||
      ::getsockname(socket_, reinterpret_cast<sockaddr*>(&name), &length) != 0) {
    const int error = errno;
    if (socket_ >= 0) ::close(socket_);
    throw WorkError(fmt::format("cannot listen on {} port {}: {}", address, port, std::strerror(error)));
  }
  port_ = ntohs(name.sin_port);
}

TcpListener::~TcpListener() {
  ::close(socket_);
}

int TcpListener::accept() const {
  return ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

bool has_acknowledged(int socket) {
  int unacknowledged = 0;
  return ::ioctl(socket, SIOCOUTQ, &unacknowledged) == 0 && unacknowledged == 0;
}

}  // namespace takt::sensors
