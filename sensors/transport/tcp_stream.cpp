#include "sensors/transport/tcp_stream.hpp"

#include <cerrno>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t tcp_block = 1 << 16;

bool await(int socket, short events, std::chrono::milliseconds limit) {
  pollfd wanted{socket, events, 0};
  return ::poll(&wanted, 1, static_cast<int>(limit.count())) > 0;
}

/// Returns a socket connected within the limit, or -1 with errno.
int connected(const addrinfo& address, std::chrono::milliseconds limit) {
  const int socket =
      ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol);
  if (socket < 0) return -1;
  int error = 0;
  if (::connect(socket, address.ai_addr, address.ai_addrlen) != 0) {
    error = errno;
    if (error == EINPROGRESS) {
      error = ETIMEDOUT;
      socklen_t length = sizeof error;
      if (await(socket, POLLOUT, limit)) ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
    }
  }
  if (error == 0) return socket;
  ::close(socket);
  errno = error;
  return -1;
}

}  // namespace

std::string TcpAddress::to_string() const {
  return host.find(':') == std::string::npos ? host + ':' + port : '[' + host + "]:" + port;
}

TcpAddress parse_tcp_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  TcpAddress address;
  if (colon != std::string::npos) {
    address.host = text.substr(0, colon);
    address.port = text.substr(colon + 1);
    if (address.host.starts_with('[') && address.host.ends_with(']'))
      address.host = address.host.substr(1, address.host.size() - 2);
    else if (address.host.find(':') != std::string::npos)
      address.host.clear();
  }
  const bool is_port = !address.port.empty() && address.port.size() <= 5 &&
                       address.port.find_first_not_of("0123456789") == std::string::npos &&
                       std::stoi(address.port) >= 1 && std::stoi(address.port) <= 65535;
  if (address.host.empty() || !is_port)
    throw ConfigError(
        fmt::format("'{}' is not an address: expected for example 127.0.0.1:18000", excerpt(text)));
  return address;
}

void TcpStream::connect(const TcpAddress& address, std::chrono::milliseconds limit) {
  close();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found); error != 0)
    throw WorkError(fmt::format("cannot connect to {}: {}", address.to_string(), ::gai_strerror(error)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr && socket_ < 0; each = each->ai_next)
    socket_ = connected(*each, limit);
  if (socket_ < 0)
    throw WorkError(fmt::format("cannot connect to {}: {}", address.to_string(), std::strerror(errno)));
  is_over_ = false;
}

void TcpStream::adopt(int socket) {
  close();
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  socket_ = socket;
  is_over_ = false;
}

void TcpStream::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  buffer_.clear();
  begin_ = 0;
}

void TcpStream::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (await(socket_, POLLOUT, std::chrono::seconds(10))) continue;
      errno = ETIMEDOUT;
    }
    if (sent < 0) throw WorkError(fmt::format("sending failed: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool TcpStream::receive(std::chrono::milliseconds limit) {
  if (socket_ < 0 || is_over_ || !await(socket_, POLLIN, limit)) return false;
  const std::size_t had = buffer_.size();
  buffer_.resize(had + tcp_block);
  const ssize_t got = ::recv(socket_, buffer_.data() + had, tcp_block, 0);
  buffer_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) is_over_ = true;
  return got > 0;
}

void TcpStream::take(std::size_t bytes) {
  begin_ += bytes;
  // Moves the rest infrequently.
  if (begin_ < buffer_.size() && begin_ < 16 * tcp_block) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
}

}  // namespace takt::sensors
