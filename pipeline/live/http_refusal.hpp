#pragma once
/// Answer of the HTTP server to an invalid request, sent so that the client receives it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/beast/core.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

namespace takt::pipeline {

struct HttpRefusal {
  unsigned status = 400;
  std::string why;
};

/// Does nothing if the client has left.
inline std::optional<HttpRefusal> refusal_of(const boost::system::error_code& error, std::uint64_t most_body,
                                             std::uint32_t most_header) {
  using HttpError = boost::beast::http::error;
  if (error == HttpError::body_limit)
    return HttpRefusal{413, fmt::format("the body is too long: expected at most {} bytes", most_body)};
  if (error == HttpError::header_limit)
    return HttpRefusal{431, fmt::format("the header is too long: expected at most {} bytes", most_header)};
  if (error == HttpError::end_of_stream || error == HttpError::partial_message) return std::nullopt;
  if (error.category() != make_error_code(HttpError::bad_method).category()) return std::nullopt;
  return HttpRefusal{400, "not a request of HTTP/1.1: " + error.message()};
}

/// Ends the sending side, and throws away what still comes, for ten seconds: a connection that is closed on
/// unread data takes the answer with it. `owner` lives until then.
template <class Owner>
void end_after_reply(std::shared_ptr<Owner> owner, boost::beast::tcp_stream& stream) {
  boost::system::error_code ignored;
  stream.expires_after(std::chrono::seconds{10});
  stream.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  struct Rest {
    std::shared_ptr<Owner> owner;
    boost::beast::tcp_stream& stream;
    std::vector<char> bytes = std::vector<char>(65536);

    static void read(std::shared_ptr<Rest> rest) {
      const auto buffer = boost::asio::buffer(rest->bytes);
      boost::beast::tcp_stream& from = rest->stream;
      from.async_read_some(buffer, [rest = std::move(rest)](boost::system::error_code error, std::size_t) {
        if (!error) read(rest);
      });
    }
  };
  Rest::read(std::make_shared<Rest>(Rest{std::move(owner), stream}));
}

}  // namespace takt::pipeline
