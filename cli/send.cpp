#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/send_faults.hpp"
#include "cli/send_streams.hpp"
#include "core/error.hpp"
#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/units.hpp"
#include "sensors/emulator/emulator.hpp"

namespace takt::cli {

namespace {

struct SendArguments {
  SendStreamArguments stream;
  std::string protocol = "lofar";
  /// By protocol.
  std::map<std::string, std::unique_ptr<SendFormat>> formats;
  // Speed and amount.
  double speed = 1, packet_rate = 0;
  bool fast = false;
  std::uint64_t packets = 0;
  std::string duration;
  SendFaultArguments faults;
  std::string format = "text";
};

std::atomic<bool> stop_wanted{false};

/// Returns one destination for each lane: as given, or derived from a single one (shares_port).
std::vector<sensors::Destination> destinations_of(const std::vector<std::string>& to,
                                                  const SendStream& stream) {
  std::vector<sensors::Destination> destinations;
  for (const std::string& text : to) destinations.push_back(sensors::parse_destination(text));
  if (destinations.size() == 1)
    while (destinations.size() < stream.lanes) {
      sensors::Destination next = destinations.back();
      if (!stream.shares_port && next.port == 65535)
        throw ConfigError(fmt::format("--to {}: {} successive ports exceed 65535", to.front(), stream.lanes));
      if (!stream.shares_port) ++next.port;
      destinations.push_back(next);
    }
  if (destinations.size() != stream.lanes)
    throw ConfigError(
        fmt::format("--to names {} destinations for {} lanes: expected one per lane, or one for all{}",
                    destinations.size(), stream.lanes, stream.shares_port ? "" : " for successive ports"));
  return destinations;
}

/// Returns the number of packets of each lane; 0: unlimited.
std::uint64_t packet_limit(const SendArguments& arguments, const sensors::PacketCodec& codec) {
  if (arguments.duration.empty()) return arguments.packets;
  const double seconds =
      std::chrono::duration<double>(parse_positive_duration("--duration", arguments.duration)).count();
  const auto packets = static_cast<std::uint64_t>(std::ceil(seconds * codec.packets_per_second()));
  return arguments.packets > 0 ? std::min(arguments.packets, packets) : packets;
}

void print_text(const sensors::EmulatorReport& report, const sensors::EmulatorOptions& options,
                const SendStream& made) {
  const double seconds = std::chrono::duration<double>(report.elapsed).count();
  const std::string text =
      fmt::format("sent {} packets of the stream in {:.3f} s: {} {}, {}, {:.3f} Gbit/s\n", report.packets,
                  seconds, report.datagrams, made.goes_in_datagrams ? "datagrams" : "messages",
                  to_string(Bytes{report.bytes}),
                  seconds > 0 ? static_cast<double>(report.bytes) * 8e-9 / seconds : 0.0) +
      describe_faults(options, report, made.stream->codec().causes());
  fmt::print("{}", fill(text, text_columns));
  if (report.put_off > Time(0)) fmt::print("total delay of the sender: {}\n", to_string(report.put_off));
}

void print_json(const sensors::EmulatorReport& report, const nlohmann::ordered_json& tone,
                std::span<const std::string_view> causes) {
  nlohmann::ordered_json json{
      {"packets", report.packets}, {"datagrams", report.datagrams}, {"bytes", report.bytes}};
  add_faults(json, report, causes);
  json["seconds"] = std::chrono::duration<double>(report.elapsed).count();
  json["put_off_seconds"] = std::chrono::duration<double>(report.put_off).count();
  if (!tone.is_null()) json["tone"] = tone;
  std::cout << json_text(json);
}

int send(const SendArguments& arguments) {
  const SendStream made = arguments.formats.at(arguments.protocol)->make(arguments.stream);
  const sensors::PacketCodec& codec = made.stream->codec();
  sensors::EmulatorOptions options;
  options.destinations = destinations_of(arguments.stream.to, made);
  options.speed = arguments.fast ? 0 : arguments.speed;
  options.packet_rate = arguments.packet_rate;
  options.packets = packet_limit(arguments, codec);
  options.faults = arguments.faults.all_faults();
  options.events = arguments.faults.events();
  options.seed = arguments.stream.seed;
  options.on_long_wait = [](Time wait) {
    fmt::print(stderr, "takt send: next packet in {} (--speed and --fast shorten the pauses)\n",
               to_string(wait));
  };
  validate(options);
  if (!made.goes_in_datagrams && (options.faults.garbage > 0 || !options.events.lane_swaps.empty()))
    throw ConfigError("--garbage and --swap-lanes need datagrams: this stream uses none");
  validate(options.events, options.destinations.size(), codec.packets_per_second());
  std::vector<std::string> names;
  for (const sensors::Destination& destination : options.destinations)
    if (names.empty() || names.back() != destination.to_string()) names.push_back(destination.to_string());
  std::signal(SIGINT, [](int) { stop_wanted = true; });
  std::signal(SIGTERM, [](int) { stop_wanted = true; });
  fmt::print(stderr, "sending {}, to {}\n", made.description, fmt::join(names, " "));
  const sensors::EmulatorReport report = made.send ? made.send(*made.stream, options, stop_wanted)
                                                   : sensors::emulate(*made.stream, options, stop_wanted);
  for (const std::string& warning : made.stream->warnings()) fmt::print(stderr, "takt send: {}\n", warning);
  if (arguments.format == "json")
    print_json(report, made.tone, codec.causes());
  else
    print_text(report, options, made);
  return 0;
}

/// Rejects transports that the format does not support, and waiting for receivers where it is not possible.
void refuse_ways(const Command& command, const SendArguments& arguments) {
  const std::string& over = arguments.stream.over;
  const std::vector<std::string> ways = arguments.formats.at(arguments.protocol)->ways();
  if (command.has("--over") && std::ranges::find(ways, over) == ways.end())
    throw UsageError(
        ways.empty() ? fmt::format("--protocol {} has its own transport: remove --over", arguments.protocol)
                     : fmt::format("--protocol {} does not support --over {}: expected {}",
                                   arguments.protocol, over, fmt::join(ways, ", ")));
  const bool is_connected_to = ways.empty() || over == "tcp" || over == "pub";
  if (command.has("--receivers") && !is_connected_to)
    throw UsageError(
        fmt::format("--receivers needs connections, which {} does not have: expected --over tcp or pub, or "
                    "--protocol seedlink",
                    over));
}

/// Rejects options of synthetic streams for recordings, and those of other
/// formats.
void refuse_idle_options(const Command& command, const SendArguments& arguments) {
  static const std::map<std::string, std::string> protocol_of_group{
      {made_up_gnuradio_group, "gnuradio"}, {made_up_lofar_group, "lofar"}, {made_up_lwa_group, "lwa"},
      {made_up_seedlink_group, "seedlink"}, {made_up_spead_group, "spead"}, {made_up_takt_group, "takt"},
      {made_up_vdif_group, "vdif"}};
  const bool is_captured = !arguments.stream.captured.empty();
  if (is_captured && arguments.stream.over != "udp")
    throw UsageError("--captured is for datagrams: remove --over");
  const std::vector<std::string> of_files = arguments.formats.at(arguments.protocol)->options_of_files();
  for (const Argument& argument : command.arguments()) {
    if (!command.has(argument.name())) continue;
    const auto own = protocol_of_group.find(argument.group_name());
    if (own != protocol_of_group.end() && own->second != arguments.protocol)
      throw UsageError(
          fmt::format("{} does not apply to a stream of --protocol {}", argument.name(), arguments.protocol));
    // Faults and time shifts of captured packets need the options that describe their format.
    const bool is_of_stream =
        (own != protocol_of_group.end() && !is_captured) || argument.group_name() == made_up_group;
    if (is_captured && argument.name() == "--bits") continue;
    if (!arguments.stream.files.empty() && is_of_stream &&
        std::ranges::find(of_files, argument.name()) == of_files.end())
      throw UsageError(
          fmt::format("{} is for synthetic streams: expected it without files", argument.name()));
  }
}

void add_stream_options(Command& command, SendArguments& arguments) {
  SendStreamArguments& stream = arguments.stream;
  command
      .add("files", stream.files,
           "Recorded packets (LOFAR: one file per lane; VDIF: one file; SeedLink: miniSEED 2; others: a "
           "capture); default: a synthetic stream")
      .value("FILE");
  command
      .add("--captured", stream.captured,
           "Replay a capture (pcap) of datagrams of any format, sent to these ports, one per lane")
      .value("PORTS")
      .with_commas();
  command.add("--protocol", arguments.protocol, "Format of the packets")
      .one_of({"gnuradio", "lofar", "lwa", "seedlink", "spead", "takt", "vdif"})
      .fallback("lofar");
  command
      .add("--to", stream.to,
           "Destinations: one per lane, or one for all (LOFAR: the first of successive ports); "
           "SeedLink, TCP, ZeroMQ: the address to listen on")
      .value("HOST:PORT")
      .with_commas();
  command
      .add("--over", stream.over,
           "Transport: datagrams; for --protocol takt also TCP and ZeroMQ's PUSH and PUB, for "
           "gnuradio PUSH and PUB, with tags")
      .one_of({"udp", "tcp", "push", "pub"})
      .fallback("udp");
  command
      .number("--receivers", stream.receivers,
              "TCP, PUB, SeedLink: number of receivers to wait for before the first packet", {0, 64})
      .fallback("1");
  const Range positive{std::numeric_limits<double>::denorm_min()};
  command.number("--speed", arguments.speed, "Multiple of real time", positive)
      .fallback("1")
      .excludes({"--rate", "--fast"});
  command.number("--rate", arguments.packet_rate, "Packets/s of all lanes, instead of --speed", positive)
      .excludes({"--fast"});
  command.flag("--fast", arguments.fast, "As fast as possible");
  command.number("--packets", arguments.packets, "Packets per lane; default: all", {.least = 1});
  command.add("--duration", arguments.duration, "Length of the stream to send: 10s, 5min").value("TIME");
  command.number("--seed", stream.seed, "Seed of noise and faults").fallback("1");
  add_format_option(command, arguments.format, {"text", "json"});
}

void add_synthesis_options(Command& command, SendStreamArguments& arguments) {
  const auto number = [&](const char* name, auto& value, const char* help, Range range = {}) -> Argument& {
    return command.number(name, value, help, range).group(made_up_group);
  };
  number("--bits", arguments.bits,
         "Bits of each real or imaginary part: LOFAR 16, 8 or 4 (default 8), VDIF 1 to 32 (default "
         "2)",
         {1, 32});
  number("--station", arguments.station, "Number of the station: LOFAR to 2047", {0, 65535}).fallback("1");
  add_sky_options(command, arguments);
  number("--second", arguments.second, "Start of the stream, as Unix time in s; default: now");
}

}  // namespace

std::uint32_t first_second(const SendStreamArguments& arguments) {
  if (arguments.second > 0) return arguments.second;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

void declare_send(Command& command) {
  auto arguments = std::make_shared<SendArguments>();
  add_stream_options(command, *arguments);
  add_synthesis_options(command, arguments->stream);
  arguments->formats.emplace("gnuradio", send_gnuradio());
  arguments->formats.emplace("lofar", send_lofar());
  arguments->formats.emplace("lwa", send_lwa());
  arguments->formats.emplace("seedlink", send_seedlink());
  arguments->formats.emplace("spead", send_spead());
  arguments->formats.emplace("takt", send_takt());
  arguments->formats.emplace("vdif", send_vdif());
  for (const auto& [name, format] : arguments->formats) format->declare(command);
  add_fault_options(command, arguments->faults);
  command.note(
      "Random faults spare the first and the last packet of each lane, so that a receiver can count the "
      "others: packets = received + lost, with lost = dropped + corrupted + paused. Fault times count from "
      "the start of the stream. Ctrl-C ends the stream and prints the report.");
  command.example("takt send --lanes 4 --tone 150MHz --duration 10s");
  command.example("takt send --lanes 2 --pause 200ms@1s --clock-jump 20s@2s --duration 4s");
  command.example("takt send udp_16130.raw udp_16131.raw --to 127.0.0.1:16130 --speed 0.5");
  command.example("takt send a.pcap --protocol vdif --captured 4201 --to 127.0.0.1:4201");
  command.example("takt send --protocol gnuradio --item-rate 2MHz --to 127.0.0.1:2000 --drop 0.01");
  command.example("takt send --protocol gnuradio --over pub --to 127.0.0.1:5555 --receivers 2");
  command.example("takt send --protocol lwa --beams 1 --tunings 1,2 --to 127.0.0.1:4015");
  command.example("takt send --protocol seedlink --traces NL.HGN.00.HHZ --to 127.0.0.1:18000");
  command.example("takt send --protocol spead --heap 8192 --heap-rate 1kHz --to 127.0.0.1:7148");
  command.example("takt send --protocol takt --over tcp --axes time=1000 --to 127.0.0.1:7001");
  command.example("takt send --protocol vdif --threads 2 --sample-rate 16MHz --to 127.0.0.1:4201");
  command.does([arguments](const Command& given) {
    refuse_idle_options(given, *arguments);
    refuse_ways(given, *arguments);
    return send(*arguments);
  });
}

}  // namespace takt::cli
