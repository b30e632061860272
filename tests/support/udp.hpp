#pragma once
/// Ports of this computer, and datagrams to them.

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/program.hpp"

namespace takt::test {

inline sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// Returns currently free ports.
inline std::vector<int> free_ports(std::size_t count) {
  std::vector<int> sockets, ports;
  for (std::size_t i = 0; i < count; ++i) {
    sockets.push_back(::socket(AF_INET, SOCK_DGRAM, 0));
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    ::bind(sockets.back(), reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(sockets.back(), reinterpret_cast<sockaddr*>(&address), &size);
    ports.push_back(ntohs(address.sin_port));
  }
  for (int socket : sockets) ::close(socket);
  return ports;
}

inline void send_datagrams(int port, const std::vector<std::string>& datagrams) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in address = loopback(port);
  for (const std::string& datagram : datagrams)
    ::sendto(socket, datagram.data(), datagram.size(), 0, reinterpret_cast<const sockaddr*>(&address),
             sizeof(address));
  ::close(socket);
}

}  // namespace takt::test
