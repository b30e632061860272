#include "pipeline/stages/packet_sources.hpp"

#include <fmt/format.h>
#include <sched.h>

#include "sensors/files/input_names.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/packets/packet_sequence.hpp"
#include "sensors/pcap/recording.hpp"

namespace takt::pipeline {

std::vector<ParameterSpec> with_assembly(std::vector<ParameterSpec> own) {
  own.push_back({.name = "window",
                 .type = ParameterType::integer,
                 .fallback = "256",
                 .help = "reordering window, in packets",
                 .minimum = 1,
                 .maximum = 1 << 20});
  own.push_back({.name = "longest_gap",
                 .type = ParameterType::time,
                 .fallback = "10 s",
                 .help = "longest step of the sender's clock within an epoch"});
  return own;
}

sensors::Assembly assembly_of(const Parameters& parameters) {
  return {.window = static_cast<std::size_t>(parameters.integer("window")),
          .longest_gap = parameters.time("longest_gap")};
}

std::vector<ParameterSpec> with_udp(const char* ports_help, const std::vector<ParameterSpec>& own) {
  std::vector<ParameterSpec> all{
      {.name = "ports", .type = ParameterType::integers, .help = ports_help, .minimum = 0, .maximum = 65535},
      {.name = "address",
       .fallback = "127.0.0.1",
       .help = "local address to receive on; 0.0.0.0: all interfaces; a multicast group is joined"},
      {.name = "interface", .fallback = "", .help = "network interface to receive on, or to join a group on"},
      {.name = "from",
       .type = ParameterType::texts,
       .fallback = "",
       .help = "addresses of the senders to accept; none: all"},
      {.name = "socket_buffer",
       .type = ParameterType::bytes,
       .fallback = "8 MiB",
       .help = "receive buffer of each port; a full station needs 8 MiB or more",
       .minimum = 4096,
       .maximum = 1 << 30},
      {.name = "depth",
       .type = ParameterType::integer,
       .fallback = "8",
       .help = "capacity of the queue to the pipeline, in complete frames",
       .minimum = 1,
       .maximum = 4096},
      {.name = "when_full",
       .fallback = "drop",
       .help = "full queue: drop and count the next frame, or stop receiving",
       .choices = {"drop", "block"}},
      {.name = "idle_timeout",
       .type = ParameterType::time,
       .fallback = "0",
       .help = "silence that ends the stream; 0: none"},
      {.name = "start_timeout",
       .type = ParameterType::time,
       .fallback = "0",
       .help = "silence at the start that is an error; 0: none"},
      {.name = "gro",
       .type = ParameterType::boolean,
       .fallback = "true",
       .help = "whether the operating system may coalesce datagrams (GRO), if it can"},
      {.name = "core",
       .type = ParameterType::integer,
       .fallback = "-1",
       .help = "processor of the thread that assembles frames; -1: any",
       .minimum = -1,
       .maximum = CPU_SETSIZE - 1},
      {.name = "receivers",
       .type = ParameterType::integer,
       .fallback = "1",
       .help = "receiving threads; 1: the thread that assembles frames, the cheapest",
       .minimum = 1,
       .maximum = static_cast<double>(sensors::most_receivers)},
      {.name = "receiver_cores",
       .type = ParameterType::integers,
       .fallback = "",
       .help = "processors of the receiving threads, one each; none: any",
       .minimum = 0,
       .maximum = CPU_SETSIZE - 1},
      {.name = "timestamps",
       .type = ParameterType::boolean,
       .fallback = "false",
       .help =
           "whether to use timestamps of the operating system, for the counter receive_delay_high_water"}};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

sensors::UdpOptions udp_options(const Parameters& parameters) {
  sensors::UdpOptions options;
  for (std::int64_t port : parameters.integers("ports"))
    options.ports.push_back(static_cast<std::uint16_t>(port));
  options.address = parameters.text("address");
  options.interface = parameters.text("interface");
  options.senders = parameters.texts("from");
  options.socket_buffer = parameters.bytes("socket_buffer");
  options.depth = static_cast<std::size_t>(parameters.integer("depth"));
  options.when_full =
      parameters.text("when_full") == "block" ? sensors::WhenFull::block : sensors::WhenFull::drop;
  options.idle_timeout = parameters.time("idle_timeout");
  options.start_timeout = parameters.time("start_timeout");
  options.coalesce = parameters.boolean("gro");
  if (const std::int64_t core = parameters.integer("core"); core >= 0)
    options.core = static_cast<unsigned>(core);
  options.receivers = static_cast<std::size_t>(parameters.integer("receivers"));
  for (const std::int64_t processor : parameters.integers("receiver_cores"))
    options.receiver_cores.push_back(static_cast<unsigned>(processor));
  options.timestamps = parameters.boolean("timestamps");
  return options;
}

EmulatedSender sender_over_udp(const Parameters& parameters, const SenderPlace& place,
                               std::vector<std::string> arguments, bool to_all_ports) {
  if (arguments.empty()) return {};
  std::vector<std::int64_t> ports = parameters.integers("ports");
  if (!to_all_ports) ports.resize(1);
  for (const std::int64_t port : ports) {
    if (port == 0)
      parameters.refuse(
          "ports", "port 0 is not valid here, since its final number is unknown: expected a port number");
    arguments.insert(arguments.end(), {"--to", fmt::format("{}:{}", place.of_source, port)});
  }
  // The usual sender uses another address, or is not the emulator.
  EmulatedSender sender{.arguments = std::move(arguments)};
  const std::string address = place.is_on_one_host() ? "127.0.0.1" : "0.0.0.0";
  if (parameters.text("address") != address) sender.settings.emplace_back("address", address);
  if (!parameters.text("interface").empty()) sender.settings.emplace_back("interface", "''");
  if (!parameters.texts("from").empty()) sender.settings.emplace_back("from", "[]");
  return sender;
}

std::vector<std::filesystem::path> recordings_of(const Parameters& parameters, const char* name) {
  try {
    return sensors::input_files(parameters.texts(name));
  } catch (const ConfigError& error) {
    parameters.refuse(name, error.what());
  }
}

ParameterSpec replay_speed() {
  return {.name = "speed",
          .type = ParameterType::number,
          .fallback = "0",
          .help = "multiple of the recorded rate; 0: as fast as possible",
          .minimum = 0};
}

std::vector<ParameterSpec> with_capture(const char* ports_help, const std::vector<ParameterSpec>& own) {
  std::vector<ParameterSpec> all{
      {.name = "file",
       .type = ParameterType::recordings,
       .help = "the capture: a pcap or pcapng file, or several"},
      {.name = "ports", .type = ParameterType::integers, .help = ports_help, .minimum = 1, .maximum = 65535},
      replay_speed()};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

std::unique_ptr<sensors::Source> captured_source(
    const Parameters& parameters, sensors::PacketFormat format,
    const std::function<std::unique_ptr<const sensors::PacketCodec>()>& make_codec) {
  const std::vector<std::filesystem::path> files = recordings_of(parameters, "file");
  sensors::PcapOptions options{.file = files.front()};
  sensors::PacketFileOptions file_options{.speed = parameters.number("speed"),
                                          .recording = sensors::name_of_files(files)};
  for (const std::int64_t port : parameters.integers("ports")) {
    options.ports.push_back(static_cast<std::uint16_t>(port));
    file_options.lanes.push_back(fmt::format("port {}", port));
  }
  validate(options);
  return std::make_unique<sensors::PacketFileSource>(
      std::move(file_options), std::move(format), [files, options, make_codec] {
        return sensors::open_packets(files, [&](const std::filesystem::path& file) {
          sensors::PcapOptions own = options;
          own.file = file;
          return std::make_unique<sensors::PcapRecording>(own, make_codec());
        });
      });
}

void refuse_several_ports(const Parameters& parameters) {
  if (parameters.integers("ports").size() != 1)
    throw sensors::OptionError("ports", "one stream uses one port: expected one");
}

SourceKind live_source(const char* name, const char* summary, std::vector<ParameterSpec> parameters) {
  return {.name = name, .summary = summary, .parameters = std::move(parameters), .is_live = true};
}

SourceKind recorded_source(const char* name, const char* summary, std::vector<ParameterSpec> parameters) {
  return {.name = name,
          .summary = summary,
          .parameters = std::move(parameters),
          .pace = [](const Parameters& given) { return given.number("speed"); },
          .at_rate =
              [](double hertz, const sensors::FrameType& type) {
                return SourceKind::Values{{"speed", fmt::format("{}", hertz / type.rate_hz)}};
              }};
}

}  // namespace takt::pipeline
