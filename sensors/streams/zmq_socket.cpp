#include "sensors/streams/zmq_socket.hpp"

#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t z85_key_letters = 40;
constexpr int zmq_linger_ms = 5000, zmq_last_word_ms = 1000;
/// Longest request of a receiver in bytes; a longer one ends the connection.
constexpr std::int64_t longest_request = 256;

}  // namespace

void validate(const ZmqOptions& options) {
  if (!options.endpoint.starts_with("tcp://") && !options.endpoint.starts_with("ipc://"))
    throw OptionError(
        "endpoint",
        fmt::format("'{}' is not an endpoint: expected for example tcp://127.0.0.1:5555 or ipc:///run/takt",
                    options.endpoint));
  std::array<std::uint8_t, 32> binary{};
  if (!options.key.empty() && (options.key.size() != z85_key_letters ||
                               zmq_z85_decode(binary.data(), options.key.c_str()) == nullptr))
    throw OptionError("key",
                      fmt::format("a key of {} letters is not valid: expected 40 of Z85, as by curve_keygen",
                                  options.key.size()));
}

zmq::socket_t open_zmq(zmq::context_t& context, const ZmqOptions& options, ZmqEnd end) {
  const bool receives = end == ZmqEnd::receives || end == ZmqEnd::replays;
  const zmq::socket_type type = end == ZmqEnd::keeps          ? zmq::socket_type::router
                                : end == ZmqEnd::sends_to_all ? zmq::socket_type::xpub
                                : end == ZmqEnd::replays      ? zmq::socket_type::dealer
                                : end == ZmqEnd::receives
                                    ? (options.is_pipeline ? zmq::socket_type::pull : zmq::socket_type::sub)
                                    : (options.is_pipeline ? zmq::socket_type::push : zmq::socket_type::pub);
  try {
    zmq::socket_t socket(context, type);
    // A receiver's last message confirms that it has everything.
    socket.set(zmq::sockopt::linger, end == ZmqEnd::receives ? 0
                                     : receives              ? zmq_last_word_ms
                                                             : zmq_linger_ms);
    if (receives)
      socket.set(zmq::sockopt::rcvhwm, options.high_water);
    else
      socket.set(zmq::sockopt::sndhwm, options.high_water);
    if (!options.key.empty() && receives) {
      std::array<char, z85_key_letters + 1> open_key{}, secret_key{};
      if (zmq_curve_keypair(open_key.data(), secret_key.data()) != 0) throw zmq::error_t();
      socket.set(zmq::sockopt::curve_serverkey, options.key);
      socket.set(zmq::sockopt::curve_publickey, std::string(open_key.data()));
      socket.set(zmq::sockopt::curve_secretkey, std::string(secret_key.data()));
    } else if (!options.key.empty()) {
      socket.set(zmq::sockopt::curve_server, true);
      socket.set(zmq::sockopt::curve_secretkey, options.key);
    }
    if (end == ZmqEnd::receives && !options.is_pipeline) socket.set(zmq::sockopt::subscribe, options.topic);
    if (end == ZmqEnd::sends_to_all) {
      socket.set(zmq::sockopt::xpub_verboser, true);
      socket.set(zmq::sockopt::xpub_nodrop, true);
    }
    if (end == ZmqEnd::keeps) {
      // Reports a disconnected or full receiver.
      socket.set(zmq::sockopt::router_mandatory, true);
      socket.set(zmq::sockopt::maxmsgsize, longest_request);
    }
    if (end == ZmqEnd::replays) {
      // A message sent without a peer would reach a later peer, for which it is not valid.
      socket.set(zmq::sockopt::immediate, true);
      socket.set(zmq::sockopt::sndhwm, 1);
    }
    if (options.binds)
      socket.bind(options.endpoint);
    else
      socket.connect(options.endpoint);
    return socket;
  } catch (const zmq::error_t& error) {
    // Otherwise "No such device", or that the address cannot be assigned.
    const bool is_elsewhere = options.binds && (error.num() == ENODEV || error.num() == EADDRNOTAVAIL);
    throw WorkError(fmt::format("cannot {} {}: {}", options.binds ? "bind" : "connect to", options.endpoint,
                                is_elsewhere
                                    ? "it is not an address of this computer: expected for example 127.0.0.1"
                                    : error.what()));
  }
}

}  // namespace takt::sensors
