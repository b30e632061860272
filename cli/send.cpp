#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/units.hpp"
#include "sensors/emulator.hpp"
#include "sensors/lofar_recording.hpp"
#include "sensors/lofar_synthesis.hpp"

namespace takt::cli {

namespace {

struct SendArguments {
  std::vector<std::string> files;
  std::vector<std::string> to{"127.0.0.1:16130"};
  // How fast and how much.
  double speed = 1, packet_rate = 0;
  bool fast = false;
  std::uint64_t packets = 0;
  std::string duration;
  // What a made-up station sends.
  std::size_t lanes = 0, beamlets = 0;
  int bits = 8;
  std::string clock = "200 MHz", band = "HBA_110_190", tone;
  std::uint16_t station = 1;
  std::vector<std::string> subbands;
  double noise = 10, amplitude = 10;
  std::uint32_t second = 0;
  sensors::Faults faults;
  std::uint64_t seed = 1;
  std::string format = "text";
};

std::atomic<bool> stop_wanted{false};

/// One destination a lane: as given, or, from a single one, successive ports.
std::vector<sensors::Destination> destinations_of(const SendArguments& arguments, std::size_t lanes) {
  std::vector<sensors::Destination> destinations;
  for (const std::string& text : arguments.to) destinations.push_back(sensors::parse_destination(text));
  if (destinations.size() == 1)
    while (destinations.size() < lanes) {
      sensors::Destination next = destinations.back();
      if (next.port == 65535)
        throw ConfigError(
            fmt::format("--to {}: there are no {} ports from there on", arguments.to.front(), lanes));
      ++next.port;
      destinations.push_back(next);
    }
  if (destinations.size() != lanes)
    throw ConfigError(
        fmt::format("--to names {} destinations for {} lanes, expected one a lane, or one in all for "
                    "successive ports",
                    destinations.size(), lanes));
  return destinations;
}

sensors::LofarSynthesisOptions synthesis_of(const SendArguments& arguments) {
  sensors::LofarSynthesisOptions options;
  sensors::LofarFormat& format = options.format;
  format.lanes = arguments.lanes > 0 ? arguments.lanes : arguments.to.size();
  format.bits = arguments.bits;
  const int fitting_bits = arguments.bits > 0 ? arguments.bits : 16;
  format.beamlets =
      arguments.beamlets > 0 ? arguments.beamlets : static_cast<std::size_t>(61 * 16 / fitting_bits);
  const Frequency clock = parse_frequency(arguments.clock);
  if (clock.hertz > 1e9)
    throw ConfigError(
        fmt::format("--clock {}: no station has this clock, expected 200MHz or 160MHz", to_string(clock)));
  format.clock_hz = std::llround(clock.hertz);
  format.packets = 1;
  format.station = arguments.station;
  format.band = arguments.band;
  format.subbands = sensors::parse_subbands(arguments.subbands);
  // From 12 on, as stations commonly do, where so many subbands exist.
  if (arguments.subbands.empty() && 12 + format.lanes * format.beamlets <= 512)
    format.subbands =
        sensors::parse_subbands(std::vector{fmt::format("12..{}", 12 + format.lanes * format.beamlets - 1)});
  options.noise = arguments.noise;
  if (!arguments.tone.empty()) options.tone = {parse_frequency(arguments.tone).hertz, arguments.amplitude};
  options.seed = arguments.seed;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  options.second =
      arguments.second > 0
          ? arguments.second
          : static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
  return options;
}

/// Packets of each lane; 0 for all there are.
std::uint64_t packet_limit(const SendArguments& arguments, std::int64_t clock_hz) {
  if (arguments.duration.empty()) return arguments.packets;
  const double seconds =
      std::chrono::duration<double>(parse_positive_duration("--duration", arguments.duration)).count();
  const auto packets =
      static_cast<std::uint64_t>(std::ceil(seconds * static_cast<double>(clock_hz) / (1024 * 16)));
  return arguments.packets > 0 ? std::min(arguments.packets, packets) : packets;
}

std::string describe_faults(const sensors::FaultCounts& faults) {
  std::string causes;
  for (std::size_t cause = 1; cause < sensors::lofar_verdict_count; ++cause)
    if (faults.corrupted[cause] > 0)
      causes +=
          fmt::format("{}{} {}", causes.empty() ? " (" : ", ",
                      sensors::name_of(static_cast<sensors::LofarVerdict>(cause)), faults.corrupted[cause]);
  return fmt::format("faults: {} dropped, {} duplicated, {} reordered, {} corrupted{}{}, {} garbage",
                     faults.dropped, faults.duplicated, faults.reordered, faults.corrupted_in_all(), causes,
                     causes.empty() ? "" : ")", faults.garbage);
}

void print_text(const sensors::EmulatorReport& report, bool any_faults) {
  const double seconds = std::chrono::duration<double>(report.elapsed).count();
  std::string text =
      fmt::format("sent {} packets of the stream in {:.3f} s: {} datagrams, {}, {:.3f} Gbit/s\n",
                  report.packets, seconds, report.datagrams, to_string(Bytes{report.bytes}),
                  seconds > 0 ? static_cast<double>(report.bytes) * 8e-9 / seconds : 0.0);
  if (any_faults) text += describe_faults(report.faults) + '\n';
  fmt::print("{}", fill(text, text_columns));
  if (report.put_off > Time(0))
    fmt::print("held up for {} in all, and went on later\n", to_string(report.put_off));
}

void print_json(const sensors::EmulatorReport& report, const std::optional<nlohmann::ordered_json>& tone) {
  nlohmann::ordered_json corrupted;
  for (std::size_t cause = 1; cause < sensors::lofar_verdict_count; ++cause)
    corrupted[std::string(sensors::name_of(static_cast<sensors::LofarVerdict>(cause)))] =
        report.faults.corrupted[cause];
  nlohmann::ordered_json json{{"packets", report.packets},
                              {"datagrams", report.datagrams},
                              {"bytes", report.bytes},
                              {"dropped", report.faults.dropped},
                              {"duplicated", report.faults.duplicated},
                              {"reordered", report.faults.reordered},
                              {"corrupted", corrupted},
                              {"garbage", report.faults.garbage},
                              {"seconds", std::chrono::duration<double>(report.elapsed).count()},
                              {"put_off_seconds", std::chrono::duration<double>(report.put_off).count()}};
  if (tone) json["tone"] = *tone;
  std::cout << json_text(json);
}

int send(const SendArguments& arguments) {
  std::unique_ptr<sensors::PacketStream> stream;
  sensors::LofarFormat format;
  std::optional<nlohmann::ordered_json> tone;
  if (arguments.files.empty()) {
    const sensors::LofarSynthesisOptions options = synthesis_of(arguments);
    format = options.format;
    stream = std::make_unique<sensors::LofarSynthesis>(options);
    if (options.tone) {
      const sensors::TonePlace place = sensors::find_tone(format, options.tone->frequency_hz);
      tone = {{"frequency_hz", options.tone->frequency_hz},
              {"amplitude", options.tone->amplitude},
              {"lane", place.lane},
              {"beamlet", place.beamlet},
              {"beamlet_centre_hz", place.centre_hz}};
      fmt::print(stderr, "tone at {:.6f} MHz: lane {}, beamlet {}, centred on {:.6f} MHz\n",
                 options.tone->frequency_hz / 1e6, place.lane, place.beamlet, place.centre_hz / 1e6);
    }
  } else {
    auto recording = std::make_unique<sensors::LofarRecording>(
        std::vector<std::filesystem::path>(arguments.files.begin(), arguments.files.end()));
    format = recording->format();
    stream = std::move(recording);
  }

  sensors::EmulatorOptions options;
  options.destinations = destinations_of(arguments, format.lanes);
  options.clock_hz = format.clock_hz;
  options.speed = arguments.fast ? 0 : arguments.speed;
  options.packet_rate = arguments.packet_rate;
  options.packets = packet_limit(arguments, format.clock_hz);
  options.faults = arguments.faults;
  options.seed = arguments.seed;
  std::vector<std::string> names;
  for (const sensors::Destination& destination : options.destinations)
    names.push_back(destination.to_string());
  std::signal(SIGINT, [](int) { stop_wanted = true; });
  std::signal(SIGTERM, [](int) { stop_wanted = true; });
  fmt::print(stderr, "sending station {}, {} lanes of {} beamlets of {} bits, to {}\n", *format.station,
             format.lanes, format.beamlets, format.bits, fmt::join(names, " "));
  const sensors::EmulatorReport report = sensors::emulate(*stream, options, stop_wanted);
  if (arguments.format == "json")
    print_json(report, tone);
  else
    print_text(report, arguments.faults.any());
  return 0;
}

constexpr const char* synthesis_group = "A made-up station";

/// Options that say something about a made-up station say nothing about a recording.
void refuse_synthesis(const Command& command) {
  for (const Argument& argument : command.arguments())
    if (argument.group_name() == synthesis_group && command.has(argument.name()))
      throw UsageError(
          fmt::format("{} is for a made-up station, but recorded files are given", argument.name()));
}

void add_stream_options(Command& command, SendArguments& arguments) {
  command.add("files", arguments.files, "Recorded packets, one file a lane; without, a station is made up")
      .value("FILE");
  command.add("--to", arguments.to, "Where to: one a lane, or one in all for successive ports")
      .value("HOST:PORT")
      .with_commas();
  const Range positive{std::numeric_limits<double>::denorm_min()};
  command.number("--speed", arguments.speed, "Multiple of real time", positive)
      .fallback("1")
      .excludes({"--rate", "--fast"});
  command
      .number("--rate", arguments.packet_rate, "Packets a second of all lanes, instead of --speed", positive)
      .excludes({"--fast"});
  command.flag("--fast", arguments.fast, "As fast as possible");
  command.number("--packets", arguments.packets, "Packets of each lane; without, all there are",
                 {.least = 1});
  command.add("--duration", arguments.duration, "So much of the station's time: 10s, 5min").value("TIME");
  command.number("--seed", arguments.seed, "Of noise and faults").fallback("1");
  add_format_option(command, arguments.format, {"text", "json"});
}

void add_synthesis_options(Command& command, SendArguments& arguments) {
  const auto number = [&](const char* name, auto& value, const char* help, Range range = {}) -> Argument& {
    return command.number(name, value, help, range).group(synthesis_group);
  };
  const auto text = [&](const char* name, auto& value, const char* help) -> Argument& {
    return command.add(name, value, help).group(synthesis_group);
  };
  number("--lanes", arguments.lanes, "Ports that it sends to; without, as many as --to names", {1, 4});
  number("--beamlets", arguments.beamlets, "Beamlets of a lane; without, as many as a packet holds");
  number("--bits", arguments.bits, "Bits of each real or imaginary part: 16, 8 or 4").fallback("8");
  text("--clock", arguments.clock, "200 MHz or 160 MHz").value("FREQUENCY");
  number("--station", arguments.station, "Number of the station", {0, 2047}).fallback("1");
  text("--band", arguments.band, "Band in which the subbands lie").value("BAND");
  text("--subbands", arguments.subbands,
       "Subband of each beamlet, lane after lane: 12..133,200; without, from 12 on")
      .value("NUMBERS")
      .with_commas();
  number("--noise", arguments.noise, "Standard deviation of each real or imaginary part, in counts")
      .fallback("10");
  text("--tone", arguments.tone, "A tone at this frequency on the sky: 150.2MHz").value("FREQUENCY");
  number("--amplitude", arguments.amplitude, "Of the tone, in counts").fallback("10");
  number("--second", arguments.second, "Unix second with which the stream begins; without, the present one");
}

void add_fault_options(Command& command, sensors::Faults& faults) {
  const auto add = [&](const char* name, double& value, const char* help) {
    command.number(name, value, help, {0, 1}).value("P").group("Faults, with probability P");
  };
  add("--drop", faults.drop, "Leave a packet out");
  add("--duplicate", faults.duplicate, "Send a packet twice");
  add("--reorder", faults.reorder, "Send a packet 1 to 8 packets of its lane late");
  add("--corrupt", faults.corrupt, "Damage a packet so that it must be refused");
  add("--garbage", faults.garbage, "Send random bytes before a packet");
}

}  // namespace

void declare_send(Command& command) {
  auto arguments = std::make_shared<SendArguments>();
  add_stream_options(command, *arguments);
  add_synthesis_options(command, *arguments);
  add_fault_options(command, arguments->faults);
  command.note(
      "The first and last packet of each lane suffer no faults, so that a receiver can know of all the "
      "others: packets = received + lost, where lost = dropped + corrupted. Ctrl-C ends the stream and "
      "prints "
      "the report.");
  command.example("takt send --lanes 4 --tone 150MHz --duration 10s");
  command.example("takt send udp_16130.raw udp_16131.raw --to 127.0.0.1:16130 --speed 0.5");
  command.does([arguments](const Command& given) {
    if (!arguments->files.empty()) refuse_synthesis(given);
    return send(*arguments);
  });
}

}  // namespace takt::cli
