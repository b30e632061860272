#include "pipeline/service/server.hpp"

#include <charconv>
#include <optional>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fcntl.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "pipeline/live/connection_room.hpp"
#include "pipeline/live/http_refusal.hpp"

namespace takt::pipeline {

namespace {

namespace service_http = boost::beast::http;
using service_tcp = boost::asio::ip::tcp;
using ServiceRequest = service_http::request<service_http::string_body>;

constexpr std::size_t most_callers = 64;
/// Limit for receiving a whole request, and for sending a whole answer.
constexpr std::chrono::seconds patience{30};
constexpr std::uint32_t most_request_header = 16384;
constexpr std::uint64_t most_request_body = 4 << 20;

/// Takes the same time for wrong and right tokens.
bool is_same_token(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < b.size(); ++i)
    difference |= static_cast<unsigned char>(i < a.size() ? a[i] : 0) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

/// Decodes `%20` and similar.
std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ec == std::errc{}) {
      result += static_cast<char>(value);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// Child processes must not keep a connection or the port open after the end of the service.
void keep_from_children(int descriptor) {
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

}  // namespace

struct ServiceServer::Hub {
  Hub(const HttpAddress& where, std::string secret, Service& served)
      : token(std::move(secret)), service(served), acceptor(context) {
    const service_tcp::endpoint endpoint(boost::asio::ip::make_address(where.host), where.port);
    boost::system::error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) keep_from_children(acceptor.native_handle());
    if (!error) acceptor.set_option(service_tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error)
      throw WorkError(fmt::format("cannot serve on {} port {}: {}", where.host, where.port, error.message()));
    accept();
  }

  class Call;
  void accept();
  void accept_later();

  const std::string token;
  Service& service;
  boost::asio::io_context context{1};
  service_tcp::acceptor acceptor;
  boost::asio::steady_timer pause{context};
  ConnectionRoom<Call> calls{most_callers};
};

/// One connection with one request.
class ServiceServer::Hub::Call : public ServedConnection, public std::enable_shared_from_this<Call> {
 public:
  Call(service_tcp::socket socket, Hub& hub) : stream_(std::move(socket)), hub_(hub) {}

  void cut_off() {
    boost::system::error_code ignored;
    stream_.socket().close(ignored);
    enter(ConnectionState::ended);
  }

  void read() {
    parser_.header_limit(most_request_header);
    parser_.body_limit(most_request_body);
    stream_.expires_after(patience);
    service_http::async_read(
        stream_, buffer_, parser_, [self = shared_from_this()](boost::beast::error_code error, std::size_t) {
          if (!error) return self->answer(self->parser_.get());
          if (const auto refusal = refusal_of(error, most_request_body, most_request_header))
            self->refuse(refusal->status, refusal->why);
        });
  }

 private:
  void answer(const ServiceRequest& request) {
    // Measuring or ending a stream may take long.
    stream_.expires_never();
    enter(ConnectionState::working);
    const Reply reply = [self = shared_from_this()](const ServiceAnswer& answer) { self->send(answer); };
    const std::string_view given(request[service_http::field::authorization].data(),
                                 request[service_http::field::authorization].size());
    constexpr std::string_view scheme = "Bearer ";
    if (!given.starts_with(scheme) || !is_same_token(given.substr(scheme.size()), hub_.token))
      return refuse(401, given.empty() ? "no token: expected 'Authorization: Bearer TOKEN'" : "wrong token");
    const std::string target(request.target().substr(0, request.target().find('?')));
    const service_http::verb verb = request.method();
    Service& service = hub_.service;
    constexpr std::string_view streams = "/v1/streams", log = "/log";
    if (target == "/v1/status" && verb == service_http::verb::get) return reply(service.status());
    if (target == streams && verb == service_http::verb::get) return reply(service.list());
    if (target == streams && verb == service_http::verb::post) return service.add(request.body(), reply);
    if (target.starts_with(std::string(streams) + "/")) {
      const std::string_view rest = std::string_view(target).substr(streams.size() + 1);
      if (verb == service_http::verb::delete_) return service.drop(decoded(rest), reply);
      if (verb == service_http::verb::get && rest.ends_with(log))
        return reply(service.log(decoded(rest.substr(0, rest.size() - log.size()))));
    }
    refuse(404,
           "unknown request: expected GET or POST /v1/streams, DELETE /v1/streams/NAME, GET "
           "/v1/streams/NAME/log or GET /v1/status");
  }

  void refuse(unsigned status, const std::string& why) {
    send({status, fmt::format("{{\"error\": {}}}\n", nlohmann::json(why).dump())});
  }

  void send(const ServiceAnswer& answer) {
    response_.emplace(static_cast<service_http::status>(answer.status), 11);
    response_->set(service_http::field::content_type, "application/json");
    response_->set(service_http::field::cache_control, "no-store");
    response_->keep_alive(false);
    response_->body() = answer.body;
    response_->prepare_payload();
    enter(ConnectionState::answering);
    stream_.expires_after(patience);
    service_http::async_write(stream_, *response_,
                              [self = shared_from_this()](boost::beast::error_code error, std::size_t) {
                                if (error) return;
                                self->enter(ConnectionState::ended);
                                end_after_reply(self, self->stream_);
                              });
  }

  boost::beast::tcp_stream stream_;
  Hub& hub_;
  boost::beast::flat_buffer buffer_;
  service_http::request_parser<service_http::string_body> parser_;
  std::optional<service_http::response<service_http::string_body>> response_;
};

void ServiceServer::Hub::accept() {
  acceptor.async_accept([this](boost::beast::error_code error, service_tcp::socket socket) {
    // No descriptors are available at present, or the client has disconnected.
    if (error) return accept_later();
    keep_from_children(socket.native_handle());
    if (calls.make()) {
      const auto call = std::make_shared<Call>(std::move(socket), *this);
      calls.add(call);
      call->read();
    }
    accept();
  });
}

void ServiceServer::Hub::accept_later() {
  pause.expires_after(std::chrono::milliseconds(100));
  pause.async_wait([this](boost::beast::error_code error) {
    if (!error) accept();
  });
}

ServiceServer::ServiceServer(const HttpAddress& address, std::string token, Service& service)
    : hub_(std::make_unique<Hub>(address, std::move(token), service)) {}
ServiceServer::~ServiceServer() = default;

std::uint16_t ServiceServer::port() const {
  return hub_->acceptor.local_endpoint().port();
}

void ServiceServer::run_for(std::chrono::milliseconds time) {
  hub_->context.run_for(time);
  hub_->context.restart();
}

}  // namespace takt::pipeline
