#pragma once
/// A receiving TCP client with time-outs, for lines and blocks of bytes.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace takt::sensors {

/// `host:port`, `[::1]:18000`.
struct TcpAddress {
  std::string host;
  std::string port;
  [[nodiscard]] std::string to_string() const;
};

/// Throws ConfigError.
[[nodiscard]] TcpAddress parse_tcp_address(const std::string& text);

class TcpStream {
 public:
  TcpStream() = default;
  ~TcpStream() { close(); }
  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  /// Throws WorkError with the address and the system's reason.
  void connect(const TcpAddress& address, std::chrono::milliseconds limit);
  /// Takes ownership of a connected socket.
  void adopt(int socket);
  void close();
  [[nodiscard]] bool is_open() const { return socket_ >= 0; }

  /// Throws WorkError.
  void send(std::string_view text);
  /// Waits for bytes and appends the available ones to `received`; returns false if the connection is over or
  /// the time limit has passed.
  bool receive(std::chrono::milliseconds limit);
  /// Returns the received bytes that are not yet consumed.
  [[nodiscard]] std::span<const std::byte> received() const { return std::span(buffer_).subspan(begin_); }
  void take(std::size_t bytes);
  /// Reports whether the peer has closed the connection or it failed.
  [[nodiscard]] bool is_over() const { return is_over_; }

 private:
  int socket_ = -1;
  bool is_over_ = false;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
};

}  // namespace takt::sensors
