#pragma once
/// A TCP port at which others connect.

#include <cstdint>
#include <string>

#include <netinet/in.h>

namespace takt::sensors {

/// An IPv4 address to listen on, `127.0.0.1` or `0.0.0.0`. Throws ConfigError.
[[nodiscard]] in_addr parse_listen_address(const std::string& text);

class TcpListener {
 public:
  /// Port 0 takes any free one. Throws ConfigError for an address that is none, WorkError when the port
  /// cannot be opened.
  TcpListener(const std::string& address, std::uint16_t port);
  ~TcpListener();
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Readable when somebody waits.
  [[nodiscard]] int socket() const { return socket_; }
  /// The next connection's socket, which does not block; -1 where nobody waits.
  [[nodiscard]] int accept() const;

 private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

/// Whether the other side has acknowledged all that was sent, the end too: nothing is lost by closing it
/// then.
[[nodiscard]] bool has_acknowledged(int socket);

}  // namespace takt::sensors
