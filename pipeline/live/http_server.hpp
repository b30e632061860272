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

/// Action of a POST.
struct HttpAction {
  /// Given the body; called on the server's thread. ConfigErrors are answered with 400.
  std::function<HttpAnswer(const std::string& body)> does;
  /// Whether the request needs the server's token (`Authorization: Bearer TOKEN`).
  bool needs_token = true;
  /// Bytes of the longest body. The server reads bodies of the longest one of its actions.
  std::uint64_t most_body = 4096;
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
/// of events. Closes a connection that takes longer than ten seconds for a request or for reading an answer
/// or event; if all connections are in use, first one without a request. On loopback, requests need a `Host`
/// of loopback, so that pages of other servers cannot read it through the user's browser; it refuses posts of
/// browsers from pages of other servers.
class HttpServer {
 public:
  using Handler = std::function<HttpAnswer()>;

  /// `pages` by path (`/metrics`); called on the server's thread. Events are served at `/events`, with
  /// `?together=N` (1 to 100) each of N lines. Throws WorkError when it cannot listen there.
  HttpServer(const HttpAddress& address, std::map<std::string, Handler> pages,
             std::map<std::string, HttpAction> actions = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Closes connections with unfinished answers.
  ~HttpServer();

  [[nodiscard]] std::uint16_t port() const;
  /// 128 random bits as hexadecimal digits, of this server alone.
  [[nodiscard]] const std::string& token() const;
  /// Returns the number of event clients. From any thread.
  [[nodiscard]] std::size_t listeners() const;
  /// Sends an event, one line of text, to all event clients; slow ones receive the newest only. An urgent
  /// event does not wait for the number of events that a client requests together. From any thread.
  void publish(std::string line, bool is_urgent = false);

 private:
  struct Hub;
  std::unique_ptr<Hub> hub_;
};

}  // namespace takt::pipeline
