#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "sensors/files/input_names.hpp"
#include "sensors/lofar/builder.hpp"
#include "sensors/lofar/codec.hpp"
#include "sensors/lofar/file_source.hpp"
#include "sensors/lofar/udp_source.hpp"

namespace takt::pipeline {

namespace {

std::vector<ParameterSpec> lofar_parameters(std::vector<ParameterSpec> own) {
  std::vector<std::string> bands;
  for (const sensors::LofarBand& band : sensors::lofar_bands()) bands.emplace_back(band.name);
  const std::vector<ParameterSpec> common{
      {.name = "beamlets",
       .type = ParameterType::integer,
       .fallback = "122",
       .help = "beamlets in each packet",
       .minimum = 1,
       .maximum = 244},
      {.name = "bits",
       .type = ParameterType::integer,
       .fallback = "8",
       .help = "bits of each real or imaginary part: 16, 8 or 4",
       .minimum = 4,
       .maximum = 16},
      {.name = "clock",
       .type = ParameterType::frequency,
       .fallback = "200 MHz",
       .help = "the station's clock, 200 MHz or 160 MHz",
       .minimum = 160e6,
       .maximum = 200e6},
      {.name = "packets",
       .type = ParameterType::integer,
       .fallback = "16",
       .help = "packets of each lane in a frame, 16 time samples each",
       .minimum = 1,
       .maximum = 4096},
      {.name = "station",
       .fallback = "any",
       .help = "number of the station to accept; any: the station of the first packets"},
      {.name = "subbands",
       .type = ParameterType::integers,
       .fallback = "",
       .help = "subband of each beamlet, lane by lane: [12..133, 200]",
       .minimum = 0,
       .maximum = 511},
      {.name = "band", .fallback = "", .help = "band of the subbands", .choices = bands}};
  own.insert(own.end(), common.begin(), common.end());
  return with_assembly(std::move(own));
}

std::optional<std::uint16_t> lofar_station(const Parameters& parameters) {
  const std::string text = parameters.text("station");
  if (text == "any") return std::nullopt;
  std::uint16_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size())
    parameters.refuse("station",
                      fmt::format("'{}' is not valid: expected the number of a station or any", text));
  return number;
}

sensors::LofarFormat lofar_format(const Parameters& parameters, std::size_t lanes) {
  sensors::LofarFormat format;
  format.lanes = lanes;
  format.beamlets = static_cast<std::size_t>(parameters.integer("beamlets"));
  format.bits = static_cast<int>(parameters.integer("bits"));
  format.clock_hz = std::llround(parameters.frequency("clock").hertz);
  format.packets = static_cast<std::size_t>(parameters.integer("packets"));
  format.station = lofar_station(parameters);
  for (std::int64_t subband : parameters.integers("subbands"))
    format.subbands.push_back(static_cast<int>(subband));
  format.band = parameters.text("band");
  return format;
}

/// Returns the sender that emulates a station.
EmulatedSender lofar_sender(const Parameters& parameters, const SenderPlace& place) {
  std::vector<std::string> words{"send"};
  const auto option = [&](const char* name, const std::string& value) {
    words.emplace_back(name);
    words.push_back(value);
  };
  option("--beamlets", fmt::format("{}", parameters.integer("beamlets")));
  option("--bits", fmt::format("{}", parameters.integer("bits")));
  option("--clock", fmt::format("{} Hz", parameters.frequency("clock").hertz));
  if (const std::optional<std::uint16_t> number = lofar_station(parameters))
    option("--station", fmt::format("{}", *number));
  return sender_over_udp(parameters, place, std::move(words), true);
}

SourceKind lofar_udp() {
  SourceKind kind = live_source("lofar_udp", "a live LOFAR station: UDP packets on one to four ports",
                                with_udp("one port per lane; 0: any free port", lofar_parameters({})));
  kind.make = [](const Parameters& parameters, std::uint32_t index) {
    sensors::LofarUdpOptions options{udp_options(parameters)};
    options.format = lofar_format(parameters, options.ports.size());
    options.assembly = assembly_of(parameters);
    options.source = index;
    return make_at<sensors::LofarUdpSource>(parameters, std::move(options));
  };
  kind.sender = lofar_sender;
  return kind;
}

SourceKind lofar_pcap() {
  SourceKind kind =
      recorded_source("lofar_pcap", "a capture (pcap or pcapng file) of a LOFAR station's packets",
                      with_capture("destination ports, one per lane", lofar_parameters({})));
  kind.make = [](const Parameters& parameters, std::uint32_t index) {
    return at_place(parameters, [&] {
      const sensors::LofarFormat format = lofar_format(parameters, parameters.integers("ports").size());
      return captured_source(parameters, sensors::lofar_packets(format, assembly_of(parameters), index),
                             [format] { return std::make_unique<sensors::LofarCodec>(format.clock_hz); });
    });
  };
  return kind;
}

SourceKind lofar_file() {
  SourceKind kind =
      recorded_source("lofar_file", "recorded packets of a LOFAR station, one file per lane",
                      lofar_parameters({{.name = "files",
                                         .type = ParameterType::recordings,
                                         .help = "one entry per lane: its file, or a pattern for its files"},
                                        replay_speed()}));
  kind.make = [](const Parameters& parameters, std::uint32_t index) {
    sensors::LofarFileOptions options;
    for (const std::string& name : parameters.texts("files"))
      options.lanes.push_back(at_place(parameters, [&] { return sensors::input_files({name}); }));
    options.format = lofar_format(parameters, options.lanes.size());
    options.assembly = assembly_of(parameters);
    options.speed = parameters.number("speed");
    options.source = index;
    return make_at<sensors::LofarFileSource>(parameters, std::move(options));
  };
  return kind;
}

}  // namespace

std::vector<SourceKind> lofar_sources() {
  return {lofar_udp(), lofar_file(), lofar_pcap()};
}

}  // namespace takt::pipeline
