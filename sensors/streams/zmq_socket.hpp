#pragma once
/// ZeroMQ sockets as sources and sinks use them.

#include <string>

#include <zmq.hpp>

#include "sensors/sink.hpp"

namespace takt::sensors {

/// What travels in messages.
enum class ZmqFormat : std::uint8_t {
  /// takt's framing.
  takt,
  /// Items of any number, as GNU Radio's ZMQ PUB and PUSH sinks send them.
  gnuradio,
  /// The same with a header that tells the first item's number and tags (`pass tags`).
  gnuradio_tags,
};

struct ZmqOptions {
  /// `tcp://127.0.0.1:5555`, `ipc:///tmp/x`.
  std::string endpoint;
  /// Whether it binds the endpoint, or connects to who does.
  bool binds = false;
  /// PUSH and PULL (each message to one receiver, held up where it is behind) instead of PUB and SUB (to all,
  /// dropped where they are behind).
  bool is_pipeline = false;
  /// Messages that ZeroMQ holds for a receiver that is behind.
  int high_water = 64;
  /// CURVE: of the sink its secret key, of the source the sink's public key, in Z85; empty: not encrypted.
  std::string key;
  /// Of PUB and SUB, what messages begin with, in a part of their own; empty: no such part.
  std::string topic;
};

/// Throws OptionError.
void validate(const ZmqOptions& options);

/// Which end of a connection.
enum class ZmqEnd : std::uint8_t {
  sends,
  /// The same to all that subscribe, which it hears of, and it waits where one of them is behind: XPUB.
  sends_to_all,
  receives,
  /// A sender that hears what receivers have missed (zmq_replay.hpp): ROUTER in the place of PUSH.
  keeps,
  /// A receiver that says it: DEALER in the place of PULL.
  replays,
};

/// An open socket. Throws WorkError with the endpoint and the reason.
[[nodiscard]] zmq::socket_t open_zmq(zmq::context_t& context, const ZmqOptions& options, ZmqEnd end);

}  // namespace takt::sensors
