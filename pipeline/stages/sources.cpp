#include "pipeline/stages/sources.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "pipeline/stages/file_sources.hpp"
#include "pipeline/stages/frame_types.hpp"
#include "pipeline/stages/make_at.hpp"
#include "sensors/lofar_file_source.hpp"
#include "sensors/lofar_udp_source.hpp"
#include "sensors/synthetic_source.hpp"

namespace takt::pipeline {

namespace {

using sensors::Axis;
using sensors::ElementType;
using sensors::FrameType;

// ---- LOFAR
// -----------------------------------------------------------------------------------------------------

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
       .help = "number of the only station to accept; any: that of the first good packet"},
      {.name = "subbands",
       .type = ParameterType::integers,
       .fallback = "",
       .help = "subband of each beamlet, lane after lane: [12..133, 200]",
       .minimum = 0,
       .maximum = 511},
      {.name = "band", .fallback = "", .help = "the band in which the subbands lie", .choices = bands},
      {.name = "window",
       .type = ParameterType::integer,
       .fallback = "256",
       .help = "how many packets late a packet may be",
       .minimum = 1,
       .maximum = 1 << 20},
      {.name = "longest_gap",
       .type = ParameterType::time,
       .fallback = "10 s",
       .help = "a longer step of the station's clock begins a new epoch"}};
  own.insert(own.end(), common.begin(), common.end());
  return own;
}

std::optional<std::uint16_t> station(const Parameters& parameters) {
  const std::string text = parameters.text("station");
  if (text == "any") return std::nullopt;
  std::uint16_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size())
    parameters.refuse("station", fmt::format("'{}' is neither a station's number nor any", text));
  return number;
}

sensors::LofarFormat lofar_format(const Parameters& parameters, std::size_t lanes) {
  sensors::LofarFormat format;
  format.lanes = lanes;
  format.beamlets = static_cast<std::size_t>(parameters.integer("beamlets"));
  format.bits = static_cast<int>(parameters.integer("bits"));
  format.clock_hz = std::llround(parameters.frequency("clock").hertz);
  format.packets = static_cast<std::size_t>(parameters.integer("packets"));
  format.station = station(parameters);
  for (std::int64_t subband : parameters.integers("subbands"))
    format.subbands.push_back(static_cast<int>(subband));
  format.band = parameters.text("band");
  return format;
}

sensors::Assembly lofar_assembly(const Parameters& parameters) {
  return {.window = static_cast<std::size_t>(parameters.integer("window")),
          .longest_gap = parameters.time("longest_gap")};
}

/// An emulated station for it, on this computer.
std::vector<std::string> lofar_sender(const Parameters& parameters) {
  std::vector<std::string> words{"send"};
  const auto option = [&](const char* name, const std::string& value) {
    words.emplace_back(name);
    words.push_back(value);
  };
  for (std::int64_t port : parameters.integers("ports")) option("--to", fmt::format("127.0.0.1:{}", port));
  option("--beamlets", fmt::format("{}", parameters.integer("beamlets")));
  option("--bits", fmt::format("{}", parameters.integer("bits")));
  option("--clock", fmt::format("{} Hz", parameters.frequency("clock").hertz));
  if (const std::optional<std::uint16_t> number = station(parameters))
    option("--station", fmt::format("{}", *number));
  return words;
}

SourceKind lofar_udp() {
  return {.name = "lofar_udp",
          .summary = "a live LOFAR station: UDP packets on one to four ports",
          .parameters = lofar_parameters(
              {{.name = "ports",
                .type = ParameterType::integers,
                .help = "one port a lane; 0 takes any free one",
                .minimum = 0,
                .maximum = 65535},
               {.name = "address",
                .fallback = "127.0.0.1",
                .help = "local address to receive on; 0.0.0.0 takes what others send on all interfaces"},
               {.name = "from",
                .type = ParameterType::texts,
                .fallback = "",
                .help = "addresses of the only senders to take packets of; none: of all"},
               {.name = "socket_buffer",
                .type = ParameterType::bytes,
                .fallback = "8 MiB",
                .help = "receive buffer of each port; below 8 MiB a full station loses packets",
                .minimum = 4096,
                .maximum = 1 << 30},
               {.name = "depth",
                .type = ParameterType::integer,
                .fallback = "8",
                .help = "complete frames that may wait for the pipeline",
                .minimum = 1,
                .maximum = 4096},
               {.name = "when_full",
                .fallback = "drop",
                .help = "what happens to the next frame then: it is dropped and counted, or receiving stops",
                .choices = {"drop", "block"}},
               {.name = "idle_timeout",
                .type = ParameterType::time,
                .fallback = "0",
                .help = "the stream is over when nothing came for this long; 0: never"},
               {.name = "start_timeout",
                .type = ParameterType::time,
                .fallback = "0",
                .help = "it is an error when nothing came for this long at the start; 0: never"}}),
          .is_live = true,
          .make =
              [](const Parameters& parameters, std::uint32_t index) {
                sensors::LofarUdpOptions options;
                for (std::int64_t port : parameters.integers("ports"))
                  options.ports.push_back(static_cast<std::uint16_t>(port));
                options.format = lofar_format(parameters, options.ports.size());
                options.assembly = lofar_assembly(parameters);
                options.address = parameters.text("address");
                options.senders = parameters.texts("from");
                options.socket_buffer = parameters.bytes("socket_buffer");
                options.depth = static_cast<std::size_t>(parameters.integer("depth"));
                options.when_full = parameters.text("when_full") == "block" ? sensors::WhenFull::block
                                                                            : sensors::WhenFull::drop;
                options.idle_timeout = parameters.time("idle_timeout");
                options.start_timeout = parameters.time("start_timeout");
                options.source = index;
                return make_at<sensors::LofarUdpSource>(parameters, std::move(options));
              },
          .sender = lofar_sender};
}

SourceKind lofar_file() {
  return {
      .name = "lofar_file",
      .summary = "recorded packets of a LOFAR station, one file a lane",
      .parameters = lofar_parameters({{.name = "files",
                                       .type = ParameterType::input_files,
                                       .help = "one file a lane: packets as they were received"},
                                      {.name = "speed",
                                       .type = ParameterType::number,
                                       .fallback = "0",
                                       .help = "multiple of the recorded rate; 0: as fast as they are taken",
                                       .minimum = 0}}),
      .make =
          [](const Parameters& parameters, std::uint32_t index) {
            sensors::LofarFileOptions options;
            for (const std::string& file : parameters.texts("files")) options.files.emplace_back(file);
            options.format = lofar_format(parameters, options.files.size());
            options.assembly = lofar_assembly(parameters);
            options.speed = parameters.number("speed");
            options.source = index;
            return make_at<sensors::LofarFileSource>(parameters, std::move(options));
          },
      .pace = [](const Parameters& parameters) { return parameters.number("speed"); },
      .at_rate =
          [](double hertz, const FrameType& type) {
            return SourceKind::Values{{"speed", fmt::format("{}", hertz / type.rate_hz)}};
          }};
}

// ---- Synthetic
// -------------------------------------------------------------------------------------------------

constexpr std::array patterns{sensors::Pattern::zeros, sensors::Pattern::count, sensors::Pattern::ramp,
                              sensors::Pattern::tone, sensors::Pattern::noise};

template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const auto& value : values) names.emplace_back(name_of(value));
  return names;
}

SourceKind synthetic() {
  return {.name = "synthetic",
          .summary = "frames made up on the spot, of any type and at any rate",
          .parameters = with_frame_type({{.name = "pattern",
                                          .fallback = "zeros",
                                          .help = "what is in the frames",
                                          .choices = names_of(patterns)},
                                         {.name = "amplitude",
                                          .type = ParameterType::number,
                                          .fallback = "1",
                                          .help = "of the tone; standard deviation of the noise",
                                          .minimum = 0},
                                         {.name = "frequency",
                                          .type = ParameterType::number,
                                          .fallback = "0.125",
                                          .help = "of the tone, cycles a sample",
                                          .minimum = -0.5,
                                          .maximum = 0.5},
                                         {.name = "seed",
                                          .type = ParameterType::integer,
                                          .fallback = "1",
                                          .help = "of the noise",
                                          .minimum = 0},
                                         {.name = "frames",
                                          .type = ParameterType::integer,
                                          .fallback = "0",
                                          .help = "the stream ends after so many; 0: never",
                                          .minimum = 0},
                                         {.name = "depth",
                                          .type = ParameterType::integer,
                                          .fallback = "8",
                                          .help = "frames that may wait; later ones are dropped and counted",
                                          .minimum = 1,
                                          .maximum = 4096}}),
          .make =
              [](const Parameters& parameters, std::uint32_t index) {
                sensors::SyntheticOptions options;
                options.type = frame_type_of(parameters);
                options.pattern = sensors::parse_pattern(parameters.text("pattern"));
                options.amplitude = parameters.number("amplitude");
                options.frequency = parameters.number("frequency");
                options.seed = static_cast<std::uint64_t>(parameters.integer("seed"));
                options.frames = static_cast<std::uint64_t>(parameters.integer("frames"));
                options.depth = static_cast<std::size_t>(parameters.integer("depth"));
                options.source = index;
                return make_at<sensors::SyntheticSource>(parameters, std::move(options));
              },
          .at_rate =
              [](double hertz, const FrameType&) {
                return SourceKind::Values{{"rate", fmt::format("{} Hz", hertz)}, {"frames", "0"}};
              }};
}

}  // namespace

const std::vector<SourceKind>& all_sources() {
  static const std::vector<SourceKind> table{lofar_udp(),           lofar_file(),       raw_file_source(),
                                             sigproc_file_source(), dada_file_source(), synthetic()};
  return table;
}

}  // namespace takt::pipeline
