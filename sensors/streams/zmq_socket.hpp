#pragma once
/// ZeroMQ sockets for sources and sinks.

#include <string>

#include <zmq.hpp>

#include "sensors/sink.hpp"

namespace takt::sensors {

/// The content of messages.
enum class ZmqFormat : std::uint8_t {
  /// takt's framing.
  takt,
  /// Any number of items, as sent by GNU Radio's ZMQ PUB and PUSH sinks.
  gnuradio,
  /// The same with a header of the first item's number and the tags (`pass tags`).
  gnuradio_tags,
};

struct ZmqOptions {
  /// `tcp://127.0.0.1:5555`, `ipc:///tmp/x`.
  std::string endpoint;
  /// Whether to bind the endpoint, or else to connect to it.
  bool binds = false;
  /// PUSH and PULL (each message to one receiver, with back-pressure) instead of PUB and SUB (to all
  /// receivers, with drops).
  bool is_pipeline = false;
  /// Messages that ZeroMQ queues for a slow receiver.
  int high_water = 64;
  /// CURVE key in Z85: the sink's secret key, or its public key for the source; empty: not encrypted.
  std::string key;
  /// For PUB and SUB, the first part of each message; empty: no such part.
  std::string topic;
};

/// Throws OptionError.
void validate(const ZmqOptions& options);

/// The end of a connection.
enum class ZmqEnd : std::uint8_t {
  sends,
  /// To all subscribers with back-pressure; reports subscriptions: XPUB.
  sends_to_all,
  receives,
  /// A sender that receives replay requests (zmq_replay.hpp): ROUTER instead of PUSH.
  keeps,
  /// A receiver that sends them: DEALER instead of PULL.
  replays,
};

/// Returns an open socket. Throws WorkError with the endpoint and the reason.
[[nodiscard]] zmq::socket_t open_zmq(zmq::context_t& context, const ZmqOptions& options, ZmqEnd end);

}  // namespace takt::sensors
