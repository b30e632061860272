#include "pipeline/stages/stream_stages.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "pipeline/stages/frame_types.hpp"
#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "sensors/streams/tcp_sink.hpp"
#include "sensors/streams/tcp_source.hpp"
#include "sensors/streams/udp_sink.hpp"
#include "sensors/streams/wire_packets.hpp"
#include "sensors/streams/zmq_sink.hpp"
#include "sensors/streams/zmq_source.hpp"
#include "sensors/transport/udp_sender.hpp"

namespace takt::pipeline {

namespace {

ParameterSpec stream_depth() {
  return {.name = "depth",
          .type = ParameterType::integer,
          .fallback = "8",
          .help = "capacity of the queue, in complete frames",
          .minimum = 1,
          .maximum = 65536};
}

ParameterSpec stream_when_full(const char* fallback, const char* help) {
  return {.name = "when_full", .fallback = fallback, .help = help, .choices = {"drop", "block"}};
}

ParameterSpec stream_idle() {
  return {.name = "idle_timeout",
          .type = ParameterType::time,
          .fallback = "0",
          .help = "silence that ends the stream; 0: none"};
}

sensors::WhenFull when_full_of(const Parameters& parameters) {
  return parameters.text("when_full") == "block" ? sensors::WhenFull::block : sensors::WhenFull::drop;
}

void read_stream(const Parameters& parameters, sensors::StreamOptions& options) {
  options.depth = static_cast<std::size_t>(parameters.integer("depth"));
  options.when_full = when_full_of(parameters);
  options.idle_timeout = parameters.time("idle_timeout");
}

/// Adds the parameters of both ends of a ZeroMQ connection.
std::vector<ParameterSpec> with_zmq(const char* kinds_fallback, std::vector<std::string> kinds,
                                    const char* key_help, const std::vector<ParameterSpec>& own) {
  std::vector<ParameterSpec> all{
      {.name = "endpoint", .help = "tcp://127.0.0.1:5555 or ipc:///run/takt"},
      {.name = "socket",
       .fallback = kinds_fallback,
       .help = "kind of the socket",
       .choices = std::move(kinds)},
      {.name = "bind",
       .type = ParameterType::boolean,
       .fallback = "false",
       .help = "whether to bind the endpoint; otherwise it connects"},
      {.name = "format",
       .fallback = "takt",
       .help = "format of the messages: takt's framing, or items of GNU Radio's ZMQ blocks, without and with "
               "tags",
       .choices = {"takt", "gnuradio", "gnuradio_tags"}},
      {.name = "topic", .fallback = "", .help = "topic of PUB and SUB, a separate first part of a message"},
      {.name = "high_water",
       .type = ParameterType::integer,
       .fallback = "64",
       .help = "high-water mark: messages that ZeroMQ buffers for a slow receiver",
       .minimum = 1,
       .maximum = 1e6},
      {.name = "key", .fallback = "", .help = key_help}};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

sensors::ZmqOptions zmq_options(const Parameters& parameters) {
  return {.endpoint = parameters.text("endpoint"),
          .binds = parameters.boolean("bind"),
          .is_pipeline = parameters.text("socket") == "pull" || parameters.text("socket") == "push",
          .high_water = static_cast<int>(parameters.integer("high_water")),
          .key = parameters.text("key"),
          .topic = parameters.text("topic")};
}

sensors::ZmqFormat zmq_format(const Parameters& parameters) {
  const std::string format = parameters.text("format");
  return format == "takt"       ? sensors::ZmqFormat::takt
         : format == "gnuradio" ? sensors::ZmqFormat::gnuradio
                                : sensors::ZmqFormat::gnuradio_tags;
}

ParameterSpec fragment_payload() {
  return {.name = "payload",
          .type = ParameterType::bytes,
          .fallback = fmt::format("{}", sensors::usual_fragment_bytes),
          .help = "largest piece of a frame per datagram, in bytes",
          .minimum = 64,
          .maximum = sensors::most_fragment_bytes};
}

ParameterSpec longest_step() {
  return {.name = "longest_gap",
          .type = ParameterType::time,
          .fallback = "10 s",
          .help = "longest step of the frames' numbers within an epoch"};
}

std::vector<ParameterSpec> wire_parameters() {
  return {fragment_payload(),
          {.name = "window",
           .type = ParameterType::integer,
           .fallback = "4",
           .help = "frames assembled at a time: beyond it, the oldest incomplete frame is given up",
           .minimum = 1,
           .maximum = 1024},
          longest_step()};
}

sensors::WirePacketOptions wire_options(const Parameters& parameters, std::uint32_t index) {
  return {.type = frame_type_of(parameters),
          .payload_bytes = parameters.bytes("payload").count,
          .window = static_cast<std::size_t>(parameters.integer("window")),
          .longest_gap = parameters.time("longest_gap"),
          .source = index};
}

/// Makes a sink; errors about options get their place, errors about frames that of the input.
template <class AnySink, class Options>
std::unique_ptr<sensors::Sink> make_sink_at(const Parameters& parameters, const Options& options,
                                            const sensors::FrameType& input) {
  return at_place(parameters, [&]() -> std::unique_ptr<sensors::Sink> {
    return std::make_unique<AnySink>(options, input);
  });
}

/// Returns the arguments of a sender of takt's frames; empty for frames without a rate, for which no speed is
/// defined.
std::vector<std::string> sender_of_frames(const Parameters& parameters) {
  const sensors::FrameType type = frame_type_of(parameters);
  if (!(type.rate_hz > 0)) return {};
  std::vector<std::string> words{"send", "--protocol", "takt"};
  words.insert(words.end(), {"--elements", std::string(sensors::name_of(type.element))});
  for (const std::string& axis : parameters.texts("axes")) words.insert(words.end(), {"--axes", axis});
  words.insert(words.end(), {"--frame-rate", fmt::format("{} Hz", type.rate_hz)});
  return words;
}

/// Returns the arguments of a sender of GNU Radio's items, with tags for whole frames; empty without a rate,
/// or if GNU Radio has no such items.
std::vector<std::string> sender_of_items(const Parameters& parameters) {
  constexpr std::uint64_t usual_bytes = 32768;
  const sensors::FrameType type = frame_type_of(parameters);
  const std::string element(sensors::name_of(type.element));
  constexpr std::array<std::string_view, 5> items{"float32", "complex_float32", "int16", "complex_int16",
                                                  "int8"};
  if (!(type.rate_hz > 0) || std::ranges::find(items, element) == items.end()) return {};
  const std::uint64_t item_bytes = sensors::size_of(type.element);
  const double items_per_frame =
      static_cast<double>(type.data_size().count) / static_cast<double>(item_bytes);
  return {"send",
          "--protocol",
          "gnuradio",
          "--item-type",
          element,
          "--item-rate",
          fmt::format("{} Hz", type.rate_hz * items_per_frame),
          "--datagram",
          fmt::format("{}", std::min<std::uint64_t>(type.data_size().count, usual_bytes))};
}

/// Returns the port of `HOST:PORT`, with an optional `tcp://` before it.
std::uint16_t port_of(const Parameters& parameters, const char* name) {
  std::string text = parameters.text(name);
  constexpr std::string_view scheme = "tcp://";
  if (text.starts_with(scheme)) text.erase(0, scheme.size());
  try {
    return sensors::parse_destination(text).port;
  } catch (const ConfigError&) {
    parameters.refuse(name, fmt::format("takt send needs a TCP port, not '{}': for a trial use for example "
                                        "--set sources.NAME.{}={}127.0.0.1:5555",
                                        text, name, parameters.text(name) == text ? "" : scheme));
  }
}

/// Returns a sender that listens; `way` is its option --over.
EmulatedSender listening_sender(std::vector<std::string> words, const SenderPlace& place, const char* way,
                                std::uint16_t port) {
  if (words.empty()) return {};
  words.insert(words.end(), {"--over", way, "--to",
                             fmt::format("{}:{}", place.is_on_one_host() ? "127.0.0.1" : "0.0.0.0", port)});
  return {.arguments = std::move(words)};
}

/// The sender replaces the server, or listens for the source.
EmulatedSender tcp_sender(const Parameters& parameters, const SenderPlace& place) {
  const std::uint16_t port = port_of(parameters, "server");
  EmulatedSender sender = listening_sender(sender_of_frames(parameters), place, "tcp", port);
  sender.settings.emplace_back("server", fmt::format("{}:{}", place.of_sender, port));
  sender.is_held_up = true;
  if (parameters.boolean("replay")) sender.settings.emplace_back("replay", "false");
  return sender;
}

EmulatedSender zmq_sender(const Parameters& parameters, const SenderPlace& place) {
  const std::uint16_t port = port_of(parameters, "endpoint");
  const bool is_takt = parameters.text("format") == "takt";
  EmulatedSender sender =
      listening_sender(is_takt ? sender_of_frames(parameters) : sender_of_items(parameters), place,
                       parameters.text("socket") == "pull" ? "push" : "pub", port);
  sender.settings = {{"endpoint", fmt::format("tcp://{}:{}", place.of_sender, port)}};
  sender.is_held_up = parameters.text("socket") == "pull";
  if (parameters.boolean("bind")) sender.settings.emplace_back("bind", "false");
  if (parameters.boolean("replay")) sender.settings.emplace_back("replay", "false");
  for (const char* name : {"key", "topic"})
    if (!parameters.text(name).empty()) sender.settings.emplace_back(name, "''");
  if (parameters.text("format") == "gnuradio") sender.settings.emplace_back("format", "gnuradio_tags");
  return sender;
}

}  // namespace

SourceKind tcp_source() {
  return {.name = "tcp",
          .summary = "frames over TCP, from a sink tcp of another run",
          .parameters = with_frame_type(
              {{.name = "server", .help = "HOST:PORT of the sender, which listens"},
               {.name = "connect_timeout",
                .type = ParameterType::time,
                .fallback = "10 s",
                .help = "longest wait for the sender to listen"},
               {.name = "reconnect",
                .type = ParameterType::time,
                .fallback = "0",
                .help = "longest time of reconnection attempts; 0: a lost connection ends the stream"},
               longest_step(),
               {.name = "replay",
                .type = ParameterType::boolean,
                .fallback = "false",
                .help = "whether to request missed frames after a restart, from a sender with `keep`"},
               stream_depth(),
               stream_when_full("block", "full queue: hold up the sender, or drop new frames"),
               stream_idle()}),
          .is_live = true,
          .make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
            sensors::TcpSourceOptions options;
            options.type = frame_type_of(parameters);
            options.server = parameters.text("server");
            options.connect_timeout = parameters.time("connect_timeout");
            options.reconnect = parameters.time("reconnect");
            options.longest_gap = parameters.time("longest_gap");
            options.replays = parameters.boolean("replay");
            options.source = index;
            read_stream(parameters, options);
            return make_at<sensors::TcpSource>(parameters, options);
          },
          .sender = tcp_sender};
}

SourceKind zmq_source() {
  return {.name = "zmq",
          .summary = "frames or items over ZeroMQ: a sink zmq of another run, or GNU Radio",
          .parameters = with_frame_type(with_zmq(
              "sub", {"sub", "pull"}, "public key of the sender, 40 letters of Z85; none: not encrypted",
              {longest_step(),
               {.name = "replay",
                .type = ParameterType::boolean,
                .fallback = "false",
                .help = "pull: whether to request missed frames after a restart, from a sender with `keep`"},
               stream_depth(),
               stream_when_full("drop", "full queue: what to do with the next frame"),
               stream_idle(),
               {.name = "start_timeout",
                .type = ParameterType::time,
                .fallback = "0",
                .help = "silence at the start that is an error; 0: none"}})),
          .is_live = true,
          .make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
            sensors::ZmqSourceOptions options;
            options.socket = zmq_options(parameters);
            options.format = zmq_format(parameters);
            options.replays = parameters.boolean("replay");
            options.longest_gap = parameters.time("longest_gap");
            options.type = frame_type_of(parameters);
            options.start_timeout = parameters.time("start_timeout");
            options.source = index;
            read_stream(parameters, options);
            return make_at<sensors::ZmqSource>(parameters, options);
          },
          .sender = zmq_sender};
}

SourceKind udp_source() {
  SourceKind kind = live_source("udp", "frames over UDP, from a sink udp of another run",
                                with_udp("destination port of the sink", with_frame_type(wire_parameters())));
  kind.make = [](const Parameters& parameters, std::uint32_t index) {
    return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
      refuse_several_ports(parameters);
      return std::make_unique<sensors::UdpSource>(udp_options(parameters),
                                                  sensors::wire_packets(wire_options(parameters, index)));
    });
  };
  kind.sender = [](const Parameters& parameters, const SenderPlace& place) {
    std::vector<std::string> words = sender_of_frames(parameters);
    if (!words.empty())
      words.insert(words.end(), {"--piece", fmt::format("{}", parameters.bytes("payload").count)});
    return sender_over_udp(parameters, place, std::move(words));
  };
  return kind;
}

SourceKind udp_pcap_source() {
  SourceKind kind = recorded_source("udp_pcap", "a capture (pcap or pcapng file) of frames over UDP",
                                    with_capture("destination port", with_frame_type(wire_parameters())));
  kind.make = [](const Parameters& parameters, std::uint32_t index) {
    return at_place(parameters, [&] {
      refuse_several_ports(parameters);
      return captured_source(parameters, sensors::wire_packets(wire_options(parameters, index)),
                             sensors::wire_codec);
    });
  };
  return kind;
}

SinkKind udp_sink() {
  return {.name = "udp",
          .summary = "frames over UDP, to sources udp of other runs",
          .parameters = {{.name = "to", .help = "HOST:PORT of the receiver, or of a multicast group"},
                         fragment_payload()},
          .is_live = true,
          .make = [](const Parameters& parameters,
                     const sensors::FrameType& input) -> std::unique_ptr<sensors::Sink> {
            sensors::UdpSinkOptions options;
            try {
              options.to = sensors::parse_destination(parameters.text("to"));
            } catch (const ConfigError& error) {
              parameters.refuse("to", error.message());
            }
            options.payload_bytes = parameters.bytes("payload").count;
            return make_sink_at<sensors::UdpSink>(parameters, options, input);
          }};
}

SinkKind tcp_sink() {
  return {
      .name = "tcp",
      .summary = "frames over TCP, to sources tcp of other runs",
      .parameters =
          {{.name = "port",
            .type = ParameterType::integer,
            .help = "port to listen on",
            .minimum = 1,
            .maximum = 65535},
           {.name = "address", .fallback = "127.0.0.1", .help = "local address to listen on; 0.0.0.0: all"},
           {.name = "receivers",
            .type = ParameterType::integer,
            .fallback = "0",
            .help = "receivers to wait for before the first frame",
            .minimum = 0,
            .maximum = 1000},
           {.name = "keep",
            .type = ParameterType::bytes,
            .fallback = "0",
            .help = "memory for the last frames, for receivers with `replay`; with `when_full: block` the "
                    "sink waits for lost `receivers` to reconnect",
            .minimum = 0,
            .maximum = 1e12},
           stream_depth(),
           stream_when_full("drop", "slow receiver: drop its new frames, or hold up all receivers")},
      .is_live = true,
      .make = [](const Parameters& parameters,
                 const sensors::FrameType& input) -> std::unique_ptr<sensors::Sink> {
        return make_sink_at<sensors::TcpSink>(
            parameters,
            sensors::TcpSinkOptions{.address = parameters.text("address"),
                                    .port = static_cast<std::uint16_t>(parameters.integer("port")),
                                    .receivers = static_cast<std::size_t>(parameters.integer("receivers")),
                                    .depth = static_cast<std::size_t>(parameters.integer("depth")),
                                    .when_full = when_full_of(parameters),
                                    .keep = parameters.bytes("keep")},
            input);
      }};
}

SinkKind zmq_sink() {
  return {
      .name = "zmq",
      .summary = "frames or items over ZeroMQ: to a source zmq of another run, or to GNU Radio",
      .parameters = with_zmq(
          "pub", {"pub", "push"}, "secret key of the sink, 40 letters of Z85; none: not encrypted",
          {{.name = "keep",
            .type = ParameterType::bytes,
            .fallback = "0",
            .help = "push: memory for the last frames, for one receiver with `replay`; with `when_full: "
                    "block` the sink waits for it to reconnect",
            .minimum = 0,
            .maximum = 1e12},
           stream_when_full(
               "drop", "push: drop a frame while no receiver has free buffers, or wait; pub always drops")}),
      .is_live = true,
      .make = [](const Parameters& parameters,
                 const sensors::FrameType& input) -> std::unique_ptr<sensors::Sink> {
        return make_sink_at<sensors::ZmqSink>(parameters,
                                              sensors::ZmqSinkOptions{.socket = zmq_options(parameters),
                                                                      .format = zmq_format(parameters),
                                                                      .when_full = when_full_of(parameters),
                                                                      .keep = parameters.bytes("keep")},
                                              input);
      }};
}

}  // namespace takt::pipeline
