#include "pipeline/live/http_server.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <optional>
#include <random>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "pipeline/exception_text.hpp"
#include "pipeline/live/connection_room.hpp"
#include "pipeline/live/http_refusal.hpp"

namespace takt::pipeline {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::asio::ip::tcp;

/// Of all connections, those that may be streams of events: the others are left for monitoring.
constexpr std::size_t most_connections = 64, most_listeners = 48;
constexpr std::uint32_t most_header = 16384;
/// Longest time of a request, from the moment at which the connection is free for it, and of reading an
/// answer or event. Slower clients are disconnected.
constexpr std::chrono::seconds patience{10};
constexpr std::size_t most_together = 100;

/// The name in a Host header: `localhost:9464`, `[::1]:9464`.
std::string_view host_of(std::string_view header) {
  if (header.starts_with('[')) return header.substr(0, header.find(']') + 1);
  return header.substr(0, header.find(':'));
}

/// Of 128 bits.
std::string random_token() {
  std::random_device source;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", source());
  return token;
}

/// In a time that does not tell where they differ.
bool are_equal(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

using Request = http::request<http::string_body>;

std::string_view field_of(const Request& request, http::field name) {
  return {request[name].data(), request[name].size()};
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
        "'{}' is not an address: expected a port, or an address and a port: 9464, 127.0.0.1:9464, [::1]:9464",
        text));
  return address;
}

struct HttpServer::Hub {
  Hub(const HttpAddress& where, std::map<std::string, Handler> served,
      std::map<std::string, HttpAction> offered)
      : pages(std::move(served)),
        actions(std::move(offered)),
        is_loopback(where.is_loopback()),
        acceptor(context) {
    for (const auto& [path, action] : actions) most_body = std::max(most_body, action.most_body);
    const tcp::endpoint endpoint(asio::ip::make_address(where.host), where.port);
    protocol = endpoint.protocol();
    boost::system::error_code error;
    // The launcher starts ranks from another thread: the sockets close in them.
    const int listener = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) error.assign(errno, boost::system::system_category());
    if (!error) acceptor.assign(protocol, listener, error);
    if (!error) acceptor.non_blocking(true, error);
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
  void accept_later();

  const std::map<std::string, Handler> pages;
  const std::map<std::string, HttpAction> actions;
  const std::string token = random_token();
  const bool is_loopback;
  std::uint64_t most_body = HttpAction{}.most_body;
  asio::io_context context{1};
  tcp::acceptor acceptor;
  tcp protocol = tcp::v4();
  asio::steady_timer pause{context};
  std::uint16_t port = 0;
  /// The server's thread's.
  ConnectionRoom<Session> sessions{most_connections};
  std::atomic<std::size_t> listeners{0};
  std::thread thread;
};

/// One connection: requests and answers, or a stream of events until its end.
class HttpServer::Hub::Session : public ServedConnection, public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Hub& hub) : stream_(std::move(socket)), hub_(hub) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (listens_) --hub_.listeners;
  }

  void cut_off() {
    close();
    enter(ConnectionState::ended);
  }

  void read() {
    enter(ConnectionState::reading);
    parser_.emplace();
    parser_->header_limit(most_header);
    parser_->body_limit(hub_.most_body);
    stream_.expires_after(patience);
    http::async_read(
        stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
          if (!error) return self->answer(self->parser_->get());
          if (const auto refusal = refusal_of(error, self->hub_.most_body, most_header))
            self->send(self->parser_->get(), {.status = refusal->status, .body = refusal->why + '\n'});
        });
  }

  void publish(const std::shared_ptr<const std::string>& event, bool is_urgent) {
    if (!listens_) return;
    gathered_ += *event;
    ++gathered_events_;
    if (gathered_events_ < together_ && !is_urgent) return;
    // One event, a line for each: each event costs a browser time. Only the newest: who does not keep up
    // misses some.
    gathered_ += '\n';
    waiting_ = std::make_shared<const std::string>(std::exchange(gathered_, {}));
    gathered_events_ = 0;
    write_event();
  }

 private:
  void answer(const Request& request) {
    // Two of them, and this server might believe another one than a proxy before it.
    if (request.count(http::field::host) > 1)
      return send(request, {.status = 400, .body = "more than one Host header: expected one\n"});
    const std::string target(request.target().substr(0, request.target().find('?')));
    const std::string_view host = host_of(field_of(request, http::field::host));
    if (hub_.is_loopback && host != "localhost" && host != "127.0.0.1" && host != "[::1]")
      return send(request, {.status = 403, .body = "use a name of loopback, such as localhost\n"});
    if (request.method() == http::verb::post) return act(request, target);
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return send(request, {.status = 405, .body = "expected GET, HEAD or POST\n"});
    if (target == "/events" && request.method() == http::verb::get) return listen(request);
    const auto page = hub_.pages.find(target);
    if (page == hub_.pages.end()) {
      std::string known = "/events\n";
      for (const auto& [path, handler] : hub_.pages) known += path + "\n";
      return send(request, {.status = 404, .body = "no such page; known pages:\n" + known});
    }
    try {
      send(request, page->second());
    } catch (const std::exception& error) {
      send(request, {.status = 500, .body = exception_text(error) + "\n"});
    }
  }

  void act(const Request& request, const std::string& target) {
    const auto action = hub_.actions.find(target);
    if (action == hub_.actions.end()) {
      std::string known;
      for (const auto& [path, does] : hub_.actions) known += path + "\n";
      return send(request, {.status = hub_.pages.contains(target) ? 405U : 404U,
                            .body = "POST is supported only at\n" + known});
    }
    // A page of somebody else's, in the user's browser.
    const std::string_view origin = field_of(request, http::field::origin);
    if (!origin.empty() && origin != fmt::format("http://{}", field_of(request, http::field::host)))
      return send(request, {.status = 403, .body = "only the page of this server may do that\n"});
    if (action->second.needs_token &&
        !are_equal(field_of(request, http::field::authorization), "Bearer " + hub_.token))
      return send(request, {.status = 401,
                            .body = "enter the token that takt printed (header 'Authorization: Bearer "
                                    "TOKEN')\n"});
    try {
      send(request, action->second.does(request.body()));
    } catch (const ConfigError& error) {
      send(request, {.status = 400, .body = exception_text(error) + "\n"});
    } catch (const std::exception& error) {
      send(request, {.status = 500, .body = exception_text(error) + "\n"});
    }
  }

  void send(const Request& request, HttpAnswer answer) {
    enter(ConnectionState::answering);
    response_.emplace(static_cast<http::status>(answer.status), request.version());
    response_->set(http::field::content_type, answer.type);
    response_->set(http::field::cache_control, "no-store");
    if (answer.status == 401) response_->set(http::field::www_authenticate, "Bearer");
    response_->set("X-Content-Type-Options", "nosniff");
    if (!answer.policy.empty()) response_->set("Content-Security-Policy", answer.policy);
    response_->keep_alive(request.keep_alive() && answer.status == 200);
    const std::size_t size = answer.body.size();
    if (request.method() != http::verb::head) response_->body() = std::move(answer.body);
    response_->content_length(size);
    stream_.expires_after(patience);
    auto done = [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return;
      if (self->response_->keep_alive()) return self->read();
      self->enter(ConnectionState::ended);
      end_after_reply(self, self->stream_);
    };
    if (request.method() == http::verb::head) {
      // The length of what would come, and nothing of it.
      serializer_.emplace(*response_);
      return http::async_write_header(stream_, *serializer_, std::move(done));
    }
    http::async_write(stream_, *response_, std::move(done));
  }

  void listen(const Request& request) {
    const std::string_view asked(request.target().data(), request.target().size());
    if (const std::size_t mark = asked.find('?'); mark != std::string_view::npos) {
      const std::string_view query = asked.substr(mark + 1);
      constexpr std::string_view name = "together=";
      const char* const last = query.data() + query.size();
      const auto [end, error] =
          std::from_chars(query.data() + std::min(name.size(), query.size()), last, together_);
      if (!query.starts_with(name) || error != std::errc{} || end != last || together_ < 1 ||
          together_ > most_together)
        return send(request, {.status = 400,
                              .body = fmt::format(
                                  "'?{}': expected ?together=N (updates per event, 1 to {}) or nothing\n",
                                  query, most_together)});
    }
    if (hub_.listeners >= most_listeners)
      return send(request,
                  {.status = 503,
                   .body = fmt::format("{} pages are open, the maximum: close some\n", most_listeners)});
    enter(ConnectionState::listening);
    // The first one comes at once.
    gathered_events_ = together_ - 1;
    listens_ = true;
    ++hub_.listeners;
    stream_.expires_never();
    writing_ = std::make_shared<const std::string>(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\nretry: 2000\n\n");
    write_now();
    // Detects that the client has closed the connection.
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
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  bool listens_ = false;
  /// Each event wakes the listener up: updates that wait until there are enough of them.
  std::size_t together_ = 1, gathered_events_ = 0;
  std::string gathered_;
  std::shared_ptr<const std::string> writing_, waiting_;
};

void HttpServer::Hub::accept() {
  acceptor.async_wait(tcp::acceptor::wait_read, [this](beast::error_code error) {
    if (error) return;
    const int descriptor = ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC);
    // No descriptor is free at the moment, or the client has left again.
    if (descriptor < 0) return accept_later();
    tcp::socket socket(context);
    socket.assign(protocol, descriptor, error);
    if (error) {
      ::close(descriptor);
      return accept_later();
    }
    if (sessions.make()) {
      auto session = std::make_shared<Session>(std::move(socket), *this);
      sessions.add(session);
      session->read();
    }
    accept();
  });
}

void HttpServer::Hub::accept_later() {
  pause.expires_after(std::chrono::milliseconds(100));
  pause.async_wait([this](beast::error_code error) {
    if (!error) accept();
  });
}

HttpServer::HttpServer(const HttpAddress& address, std::map<std::string, Handler> pages,
                       std::map<std::string, HttpAction> actions)
    : hub_(std::make_unique<Hub>(address, std::move(pages), std::move(actions))) {}
HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const {
  return hub_->port;
}
const std::string& HttpServer::token() const {
  return hub_->token;
}
std::size_t HttpServer::listeners() const {
  return hub_->listeners;
}

void HttpServer::publish(std::string line, bool is_urgent) {
  auto event = std::make_shared<const std::string>("data: " + std::move(line) + '\n');
  asio::post(hub_->context, [hub = hub_.get(), event = std::move(event), is_urgent] {
    hub->sessions.for_each([&](Hub::Session& session) { session.publish(event, is_urgent); });
  });
}

}  // namespace takt::pipeline
