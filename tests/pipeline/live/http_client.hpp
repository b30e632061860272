#pragma once
/// An HTTP client that shares no code with the server.

#include <cstdint>
#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace takt::test {

/// Returns the server's answer to these bytes, until the connection ends or the answer contains `enough`.
inline std::string ask(std::uint16_t port, const std::string& request, const std::string& enough = {}) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  timeval patience{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  EXPECT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string answer;
  char buffer[4096];
  while (enough.empty() || answer.find(enough) == std::string::npos) {
    const ssize_t count = ::recv(socket, buffer, sizeof(buffer), 0);
    if (count <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(socket);
  return answer;
}
/// A connection that sends the request and reads nothing.
class Connection {
 public:
  explicit Connection(std::uint16_t port, const std::string& request = {})
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    // Small, so that little data fits between server and client.
    const int room = 4096;
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::send(socket_, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(socket_); }

 private:
  int socket_;
};

/// Returns a request for a page.
inline std::string get(const std::string& path, const std::string& host = "localhost") {
  return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
}

/// Returns a command with the server's token.
inline std::string post(const std::string& path, const std::string& token, const std::string& body = {},
                        const std::string& more = {}) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
         (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n") + more +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace takt::test
