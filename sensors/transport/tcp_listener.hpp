#pragma once
/// A listening TCP port.

#include <cstdint>
#include <string>

#include <netinet/in.h>

namespace takt::sensors {

/// Parses an IPv4 address to listen on, `127.0.0.1` or `0.0.0.0`. Throws ConfigError.
[[nodiscard]] in_addr parse_listen_address(const std::string& text);

class TcpListener {
 public:
  /// Port 0 selects any free one. Throws ConfigError for an invalid address, WorkError if the port cannot be
  /// opened.
  TcpListener(const std::string& address, std::uint16_t port);
  ~TcpListener();
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Readable when a connection is pending.
  [[nodiscard]] int socket() const { return socket_; }
  /// Returns the next connection's socket, in non-blocking mode; -1 if none is pending.
  [[nodiscard]] int accept() const;

 private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

/// Reports whether the peer has acknowledged all data including the end of the stream; closing the socket
/// then loses nothing.
[[nodiscard]] bool has_acknowledged(int socket);

}  // namespace takt::sensors
