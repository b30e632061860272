#include "pipeline/live/http_server.hpp"

#include <atomic>
#include <charconv>
#include <list>
#include <optional>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::asio::ip::tcp;

constexpr std::size_t most_connections = 64;
constexpr std::chrono::seconds patience{30};

/// The name in a Host header: `localhost:9464`, `[::1]:9464`.
std::string_view host_of(std::string_view header) {
  if (header.starts_with('[')) return header.substr(0, header.find(']') + 1);
  return header.substr(0, header.find(':'));
}

}  // namespace

bool HttpAddress::is_loopback() const {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

HttpAddress parse_http_address(const std::string& text) {
  HttpAddress address;
  const std::size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  if (!host.empty()) address.host = host;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  boost::system::error_code is_no_address;
  (void)asio::ip::make_address(address.host, is_no_address);
  if (error != std::errc{} || end != port.data() + port.size() || port.empty() || is_no_address)
    throw ConfigError(fmt::format(
        "'{}' is no address: expected a port, or an address and a port: 9464, 127.0.0.1:9464, [::1]:9464",
        text));
  return address;
}

struct HttpServer::Hub {
  Hub(const HttpAddress& where, std::map<std::string, Handler> served)
      : pages(std::move(served)), is_loopback(where.is_loopback()), acceptor(context) {
    const tcp::endpoint endpoint(asio::ip::make_address(where.host), where.port);
    boost::system::error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      throw WorkError(fmt::format("cannot serve on {} port {}: {}", where.host, where.port, error.message()));
    port = acceptor.local_endpoint().port();
    accept();
    thread = std::thread([this] { context.run(); });
  }
  ~Hub() {
    context.stop();
    thread.join();
  }

  class Session;
  void accept();

  const std::map<std::string, Handler> pages;
  const bool is_loopback;
  asio::io_context context{1};
  tcp::acceptor acceptor;
  std::uint16_t port = 0;
  /// The server's thread's.
  std::list<std::weak_ptr<Session>> sessions;
  std::atomic<std::size_t> listeners{0};
  std::thread thread;
};

/// One connection: requests and answers, or a stream of events until its end.
class HttpServer::Hub::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Hub& hub) : stream_(std::move(socket)), hub_(hub) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (listens_) --hub_.listeners;
  }

  void read() {
    parser_.emplace();
    constexpr std::uint32_t most_header = 16384;
    parser_->header_limit(most_header);
    parser_->body_limit(0);
    stream_.expires_after(patience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (!error) self->answer(self->parser_->get());
                     });
  }

  void publish(const std::shared_ptr<const std::string>& event) {
    if (!listens_) return;
    // Only the newest: who does not keep up misses some.
    waiting_ = event;
    write_event();
  }

 private:
  void answer(const http::request<http::empty_body>& request) {
    const std::string target(request.target().substr(0, request.target().find('?')));
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return send(request, {.status = 405, .body = "expected GET or HEAD\n"});
    const std::string_view host =
        host_of({request[http::field::host].data(), request[http::field::host].size()});
    if (hub_.is_loopback && host != "localhost" && host != "127.0.0.1" && host != "[::1]")
      return send(request, {.status = 403, .body = "call it by a name of loopback, such as localhost\n"});
    if (target == "/events" && request.method() == http::verb::get) return listen();
    const auto page = hub_.pages.find(target);
    if (page == hub_.pages.end()) {
      std::string known;
      for (const auto& [path, handler] : hub_.pages) known += path + "\n";
      return send(request, {.status = 404, .body = "there is no such page, but\n" + known});
    }
    try {
      send(request, page->second());
    } catch (const std::exception& error) {
      send(request, {.status = 500, .body = std::string(error.what()) + "\n"});
    }
  }

  void send(const http::request<http::empty_body>& request, HttpAnswer answer) {
    response_.emplace(static_cast<http::status>(answer.status), request.version());
    response_->set(http::field::content_type, answer.type);
    response_->set(http::field::cache_control, "no-store");
    response_->set("X-Content-Type-Options", "nosniff");
    if (!answer.policy.empty()) response_->set("Content-Security-Policy", answer.policy);
    response_->keep_alive(request.keep_alive() && answer.status == 200);
    const std::size_t size = answer.body.size();
    if (request.method() == http::verb::get) response_->body() = std::move(answer.body);
    response_->content_length(size);
    stream_.expires_after(patience);
    auto done = [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return;
      if (self->response_->keep_alive()) return self->read();
      beast::error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    };
    if (request.method() == http::verb::head) {
      // The length of what would come, and nothing of it.
      serializer_.emplace(*response_);
      return http::async_write_header(stream_, *serializer_, std::move(done));
    }
    http::async_write(stream_, *response_, std::move(done));
  }

  void listen() {
    listens_ = true;
    ++hub_.listeners;
    stream_.expires_never();
    writing_ = std::make_shared<const std::string>(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\nretry: 2000\n\n");
    write_now();
    // Says when the other end has gone.
    stream_.socket().async_wait(tcp::socket::wait_read,
                                [self = shared_from_this()](beast::error_code) { self->close(); });
  }

  void write_event() {
    if (writing_ || !waiting_) return;
    writing_ = std::exchange(waiting_, nullptr);
    write_now();
  }
  void write_now() {
    stream_.expires_after(patience);
    asio::async_write(stream_, asio::buffer(*writing_),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        self->writing_.reset();
                        if (error) return self->close();
                        self->stream_.expires_never();
                        self->write_event();
                      });
  }
  void close() {
    beast::error_code ignored;
    stream_.socket().close(ignored);
    if (listens_) --hub_.listeners;
    listens_ = false;
  }

  beast::tcp_stream stream_;
  Hub& hub_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  bool listens_ = false;
  std::shared_ptr<const std::string> writing_, waiting_;
};

void HttpServer::Hub::accept() {
  acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
    if (error) return;
    std::erase_if(sessions, [](const auto& session) { return session.expired(); });
    if (sessions.size() < most_connections) {
      auto session = std::make_shared<Session>(std::move(socket), *this);
      sessions.push_back(session);
      session->read();
    }
    accept();
  });
}

HttpServer::HttpServer(const HttpAddress& address, std::map<std::string, Handler> pages)
    : hub_(std::make_unique<Hub>(address, std::move(pages))) {}
HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const {
  return hub_->port;
}
std::size_t HttpServer::listeners() const {
  return hub_->listeners;
}

void HttpServer::publish(std::string line) {
  auto event = std::make_shared<const std::string>("data: " + std::move(line) + "\n\n");
  asio::post(hub_->context, [hub = hub_.get(), event = std::move(event)] {
    for (const auto& weak : hub->sessions)
      if (const auto session = weak.lock()) session->publish(event);
  });
}

}  // namespace takt::pipeline
