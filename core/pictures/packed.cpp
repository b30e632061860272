#include "core/pictures/packed.hpp"

#include <span>

#include <boost/beast/zlib/deflate_stream.hpp>

#include "core/error.hpp"
#include "core/text/base64.hpp"

namespace takt {

std::string deflated(std::string_view text) {
  namespace zlib = boost::beast::zlib;
  zlib::deflate_stream stream;
  std::string bytes(stream.upper_bound(text.size()), '\0');
  zlib::z_params params;
  params.next_in = text.data();
  params.avail_in = text.size();
  params.next_out = bytes.data();
  params.avail_out = bytes.size();
  boost::beast::error_code error;
  stream.write(params, zlib::Flush::finish, error);
  if (error && error != zlib::error::end_of_stream)
    throw WorkError("cannot compress a page: " + error.message());
  bytes.resize(params.total_out);
  return bytes;
}

std::string packed(std::string_view text) {
  const std::string bytes = deflated(text);
  return base64(std::as_bytes(std::span(bytes)));
}

}  // namespace takt
