#include "pipeline/stages/sources.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "sensors/lofar_file_source.hpp"
#include "sensors/lofar_udp_source.hpp"
#include "sensors/option_error.hpp"
#include "sensors/synthetic_source.hpp"

namespace takt::pipeline {

namespace {

using sensors::Axis;
using sensors::ElementType;
using sensors::FrameType;

/// Makes a source; what it has against its options gets the option's place, or the parameters'.
template <class AnySource, class Options>
std::unique_ptr<sensors::Source> make_at(const Parameters& parameters, Options options) {
  try {
    return std::make_unique<AnySource>(std::move(options));
  } catch (const sensors::OptionError& error) {
    // Lanes are as many as ports or files are.
    for (const std::string_view name :
         {std::string_view(error.option()), std::string_view("ports"), std::string_view("files")})
      if (parameters.has(name)) parameters.refuse(name, error.what());
    parameters.refuse(error.what());
  } catch (const ConfigError& error) {
    parameters.refuse(error.what());
  }
}

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

constexpr std::array elements{
    ElementType::int8,         ElementType::uint8,         ElementType::int16,
    ElementType::int32,        ElementType::float32,       ElementType::float64,
    ElementType::complex_int8, ElementType::complex_int16, ElementType::complex_float32};
constexpr std::array patterns{sensors::Pattern::zeros, sensors::Pattern::count, sensors::Pattern::ramp,
                              sensors::Pattern::tone, sensors::Pattern::noise};

template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const auto& value : values) names.emplace_back(name_of(value));
  return names;
}

/// Reads a number off the front of the text, and the character after it if there is one. False when there is
/// none.
template <class Number>
bool take_number(std::string_view& text, Number& number, char separator) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (text.empty()) return true;
  const bool is_separator = text.front() == separator;
  text.remove_prefix(1);
  return is_separator && !text.empty();
}

/// Longer axes, and longer ones with coordinates, are slips of the pen that would fill the memory.
constexpr std::size_t largest_axis = std::size_t{1} << 31;
constexpr std::size_t largest_axis_with_coordinates = std::size_t{1} << 24;

/// `time=1024` or `channel=64:100e6:1e3`: name, size, and perhaps the first coordinate and the step.
Axis parse_axis(const std::string& text, const Parameters& parameters) {
  Axis axis;
  axis.name = text.substr(0, text.find('='));
  std::string_view rest = std::string_view(text).substr(std::min(axis.name.size() + 1, text.size()));
  double first = 0, step = 0;
  bool is_good = !axis.name.empty() && take_number(rest, axis.size, ':');
  const bool has_coordinates = !rest.empty();
  if (is_good && has_coordinates) is_good = take_number(rest, first, ':') && take_number(rest, step, ':');
  if (!is_good || !rest.empty() || !std::isfinite(first) || !std::isfinite(step))
    parameters.refuse("axes",
                      fmt::format("'{}' is no axis: expected name=size or name=size:first:step, for example "
                                  "time=1024 or channel=64:100e6:1e3",
                                  text));
  const std::size_t largest = has_coordinates ? largest_axis_with_coordinates : largest_axis;
  if (axis.size < 1 || axis.size > largest)
    parameters.refuse("axes", fmt::format("'{}' has a size out of range: expected 1 to {}", text, largest));
  for (std::size_t i = 0; has_coordinates && i < axis.size; ++i)
    axis.coordinates.push_back(first + static_cast<double>(i) * step);
  return axis;
}

FrameType synthetic_type(const Parameters& parameters) {
  FrameType type;
  const std::string element = parameters.text("element");
  type.element = *std::ranges::find(elements, element, [](ElementType each) { return name_of(each); });
  for (const std::string& axis : parameters.texts("axes")) type.axes.push_back(parse_axis(axis, parameters));
  type.rate_hz = parameters.frequency("rate").hertz;
  type.unit = parameters.text("unit");
  return type;
}

SourceKind synthetic() {
  return {
      .name = "synthetic",
      .summary = "frames made up on the spot, of any type and at any rate",
      .parameters = {{.name = "axes",
                      .type = ParameterType::texts,
                      .help = "name=size of each axis, slowest first; coordinates as name=size:first:step"},
                     {.name = "element",
                      .fallback = "float32",
                      .help = "type of the elements",
                      .choices = names_of(elements)},
                     {.name = "rate",
                      .type = ParameterType::frequency,
                      .fallback = "0",
                      .help = "frames a second; 0: as fast as they are taken"},
                     {.name = "pattern",
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
                      .maximum = 4096},
                     {.name = "unit", .fallback = "", .help = "unit of the elements, for people"}},
      .make =
          [](const Parameters& parameters, std::uint32_t index) {
            sensors::SyntheticOptions options;
            options.type = synthetic_type(parameters);
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
  static const std::vector<SourceKind> table{lofar_udp(), lofar_file(), synthetic()};
  return table;
}

const SourceKind* find_source(std::string_view name) {
  const auto found = std::ranges::find(all_sources(), name, &SourceKind::name);
  return found == all_sources().end() ? nullptr : &*found;
}

}  // namespace takt::pipeline
