#pragma once
/// A small HTTP server: pages that are made when they are asked for, and a stream of events.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace takt::pipeline {

struct HttpAnswer {
  unsigned status = 200;
  /// `text/html`, ...
  std::string type = "text/plain";
  std::string body = {};
  /// Of pages; empty for none.
  std::string policy = {};
};

/// What a POST does.
struct HttpAction {
  /// Given the body, of at most 4 KiB; called on the server's thread. ConfigErrors are answered with 400.
  std::function<HttpAnswer(const std::string& body)> does;
  /// Whether only those may who know the server's token (`Authorization: Bearer TOKEN`).
  bool needs_token = true;
};

/// Where to listen.
struct HttpAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  [[nodiscard]] bool is_loopback() const;
};

/// `9464` (loopback), `127.0.0.1:9464`, `[::1]:9464`, `0.0.0.0:9464`; port 0 is any that is free. Throws
/// ConfigError that says what was expected.
[[nodiscard]] HttpAddress parse_http_address(const std::string& text);

/// Answers GET, HEAD and POST, on one thread of its own, at most 64 connections at a time, 48 of them streams
/// of events. Who takes longer than ten seconds to ask, or to read an answer or event, is cut off; before
/// that, where others wait for the connection, who asks for nothing. On loopback it answers only who calls it
/// by a name of loopback, so that no page of another server can read it through the user's browser; what a
/// browser posts is refused unless it comes from this server's own page.
class HttpServer {
 public:
  using Handler = std::function<HttpAnswer()>;

  /// `pages` by path (`/metrics`); called on the server's thread. Events are served at `/events`, with
  /// `?together=N` (1 to 100) each of N lines. Throws WorkError when it cannot listen there.
  HttpServer(const HttpAddress& address, std::map<std::string, Handler> pages,
             std::map<std::string, HttpAction> actions = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Those who are still answered are cut off.
  ~HttpServer();

  [[nodiscard]] std::uint16_t port() const;
  /// 128 random bits as hexadecimal digits, of this server alone.
  [[nodiscard]] const std::string& token() const;
  /// How many listen to events. From any thread.
  [[nodiscard]] std::size_t listeners() const;
  /// Sends an event, one line of text, to all who listen; who is slow gets the newest only. One that is
  /// urgent does not wait until as many have gathered as a listener wants together. From any thread.
  void publish(std::string line, bool is_urgent = false);

 private:
  struct Hub;
  std::unique_ptr<Hub> hub_;
};

}  // namespace takt::pipeline
