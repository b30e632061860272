#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/packets/packet_sequence.hpp"
#include "sensors/vdif/builder.hpp"
#include "sensors/vdif/codec.hpp"
#include "sensors/vdif/recording.hpp"

namespace takt::pipeline {

namespace {

/// Returns the parameters of frames, with or without a file that describes the rest.
std::vector<ParameterSpec> vdif_frame_parameters(std::vector<ParameterSpec> own) {
  const std::vector<ParameterSpec> common{
      {.name = "packets",
       .type = ParameterType::integer,
       .fallback = "16",
       .help = "packets of each thread in a frame",
       .minimum = 1,
       .maximum = 1 << 20},
      {.name = "polarisations",
       .type = ParameterType::integer,
       .fallback = "1",
       .help = "number of successive threads that are polarisations of the same channels",
       .minimum = 1,
       .maximum = 2},
      {.name = "frequency",
       .type = ParameterType::frequency,
       .fallback = "0",
       .help = "sky frequency of the first channel's centre (real samples: of its frequency 0); 0: unknown"},
      {.name = "spacing",
       .type = ParameterType::frequency,
       .fallback = "0",
       .help = "step from one channel's frequency to the next"}};
  own.insert(own.end(), common.begin(), common.end());
  return with_assembly(std::move(own));
}

void read_frame_parameters(const Parameters& parameters, sensors::VdifFormat& format) {
  format.packets = static_cast<std::size_t>(parameters.integer("packets"));
  format.polarisations = static_cast<std::size_t>(parameters.integer("polarisations"));
  format.frequency_hz = parameters.frequency("frequency").hertz;
  format.spacing_hz = parameters.frequency("spacing").hertz;
}

void read_threads(const Parameters& parameters, sensors::VdifFormat& format) {
  format.threads.clear();
  for (const std::int64_t thread : parameters.integers("threads"))
    format.threads.push_back(static_cast<std::uint16_t>(thread));
}

/// Parses a number, or a station code of two characters (`Ef`: the second one in the low byte).
std::optional<std::uint16_t> vdif_station(const Parameters& parameters) {
  const std::string text = parameters.text("station");
  if (text == "any") return std::nullopt;
  std::uint16_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && rest == text.data() + text.size()) return number;
  if (text.size() != 2)
    parameters.refuse(
        "station",
        fmt::format("'{}' is not a station: expected a number up to 65535, two letters or any", text));
  return static_cast<std::uint16_t>(static_cast<unsigned char>(text[0]) << 8 |
                                    static_cast<unsigned char>(text[1]));
}

sensors::VdifFormat live_format(const Parameters& parameters) {
  sensors::VdifFormat format;
  read_threads(parameters, format);
  format.channels = static_cast<std::size_t>(parameters.integer("channels"));
  format.bits = static_cast<int>(parameters.integer("bits"));
  format.is_complex = parameters.text("samples") == "complex";
  format.payload_bytes = parameters.bytes("payload").count;
  format.is_legacy = parameters.boolean("legacy");
  format.has_sequence = parameters.boolean("numbered");
  format.station = vdif_station(parameters);
  format.sample_hz = parameters.frequency("sample_rate").hertz;
  read_frame_parameters(parameters, format);
  return format;
}

EmulatedSender vdif_sender(const Parameters& parameters, const SenderPlace& place) {
  const sensors::VdifFormat format = live_format(parameters);
  // The emulator numbers its threads from 0.
  for (std::size_t i = 0; i < format.threads.size(); ++i)
    if (format.threads[i] != i) return {};
  if (format.is_legacy) return {};
  std::vector<std::string> words{"send", "--protocol", "vdif"};
  const auto option = [&](const char* name, const std::string& value) {
    words.emplace_back(name);
    words.push_back(value);
  };
  option("--threads", fmt::format("{}", format.threads.size()));
  option("--channels", fmt::format("{}", format.channels));
  option("--bits", fmt::format("{}", format.bits));
  option("--payload", fmt::format("{}", format.payload_bytes));
  option("--sample-rate", fmt::format("{} Hz", format.sample_hz));
  if (format.is_complex) words.emplace_back("--complex");
  if (format.has_sequence) words.emplace_back("--numbered");
  if (format.station) option("--station", fmt::format("{}", *format.station));
  return sender_over_udp(parameters, place, std::move(words));
}

/// Returns the parameters of a stream, which no file describes.
std::vector<ParameterSpec> vdif_stream_parameters() {
  return vdif_frame_parameters(
      {{.name = "threads",
        .type = ParameterType::integers,
        .fallback = "0",
        .help = "threads, in the order of their channels in a frame",
        .minimum = 0,
        .maximum = 1023},
       {.name = "channels",
        .type = ParameterType::integer,
        .fallback = "1",
        .help = "channels of each thread, a power of two",
        .minimum = 1,
        .maximum = 65536},
       {.name = "bits",
        .type = ParameterType::integer,
        .fallback = "2",
        .help = "bits of each sample, or of each real or imaginary part",
        .minimum = 1,
        .maximum = 32},
       {.name = "samples",
        .fallback = "real",
        .help = "real or complex samples",
        .choices = {"real", "complex"}},
       {.name = "payload",
        .type = ParameterType::bytes,
        .fallback = "8000",
        .help = "bytes of samples per packet",
        .minimum = 8,
        .maximum = 65'000},
       {.name = "sample_rate",
        .type = ParameterType::frequency,
        .help = "samples per second of each channel"},
       {.name = "station",
        .fallback = "any",
        .help = "number or two letters of the station to accept; any: the station of the first good packet"},
       {.name = "legacy",
        .type = ParameterType::boolean,
        .fallback = "false",
        .help = "whether headers have 16 bytes"},
       {.name = "numbered",
        .type = ParameterType::boolean,
        .fallback = "false",
        .help = "whether each packet begins with its number, 64 bits (VTP)"}});
}

SourceKind vdif_udp() {
  SourceKind kind =
      live_source("vdif_udp", "a live VDIF stream: UDP packets of one or several threads",
                  with_udp("one or several ports, for all threads together", vdif_stream_parameters()));
  kind.make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
    return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
      return std::make_unique<sensors::UdpSource>(
          udp_options(parameters),
          sensors::vdif_packets(live_format(parameters), assembly_of(parameters), index));
    });
  };
  kind.sender = vdif_sender;
  return kind;
}

SourceKind vdif_pcap() {
  SourceKind kind =
      recorded_source("vdif_pcap", "a capture (pcap or pcapng file) of a VDIF stream over UDP",
                      with_capture("destination ports, for all threads together", vdif_stream_parameters()));
  kind.make = [](const Parameters& parameters, std::uint32_t index) {
    return at_place(parameters, [&] {
      const sensors::VdifFormat format = live_format(parameters);
      return captured_source(parameters, sensors::vdif_packets(format, assembly_of(parameters), index),
                             [format] { return std::make_unique<sensors::VdifCodec>(format); });
    });
  };
  return kind;
}

/// Returns the common format of the files; the threads are those of the first one.
sensors::VdifFormat format_of(const std::vector<std::filesystem::path>& files) {
  const sensors::VdifFormat first = sensors::read_vdif_format(files.front());
  const auto describe = [](const sensors::VdifFormat& format) {
    return fmt::format("station {}, threads {}, {} channels of {} bits, {}, {} bytes of samples per frame{}",
                       format.station.value_or(0), fmt::join(format.threads, ","), format.channels,
                       format.bits, format.is_complex ? "complex" : "real", format.payload_bytes,
                       format.is_legacy ? ", legacy headers" : "");
  };
  for (const std::filesystem::path& file : files) {
    const std::string other = describe(sensors::read_vdif_format(file));
    if (other != describe(first))
      throw ConfigError(
          fmt::format("{}: {}, but {}: {}; the files of one stream must have one layout: use another source "
                      "for files of another layout",
                      file.string(), other, files.front().string(), describe(first)));
  }
  return first;
}

SourceKind vdif_file() {
  SourceKind kind = recorded_source(
      "vdif_file", "a VDIF file, all threads or some",
      vdif_frame_parameters(
          {{.name = "file", .type = ParameterType::recordings, .help = "file, or several files"},
           {.name = "threads",
            .type = ParameterType::integers,
            .fallback = "",
            .help = "threads, in the order of their channels in a frame; none: all, in ascending order",
            .minimum = 0,
            .maximum = 1023},
           {.name = "sample_rate",
            .type = ParameterType::frequency,
            .fallback = "0",
            .help = "samples per second of each channel; 0: by the file"},
           replay_speed()}));
  kind.make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
    return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
      const std::vector<std::filesystem::path> files = recordings_of(parameters, "file");
      sensors::VdifFormat format = format_of(files);
      if (!parameters.integers("threads").empty()) read_threads(parameters, format);
      if (const double hertz = parameters.frequency("sample_rate").hertz; hertz > 0) format.sample_hz = hertz;
      read_frame_parameters(parameters, format);
      return std::make_unique<sensors::PacketFileSource>(
          sensors::PacketFileOptions{.speed = parameters.number("speed"),
                                     .recording = sensors::name_of_files(files)},
          sensors::vdif_packets(format, assembly_of(parameters), index), [files, format] {
            return sensors::open_packets(files, [&](const std::filesystem::path& file) {
              return std::make_unique<sensors::VdifRecording>(file, format);
            });
          });
    });
  };
  return kind;
}

}  // namespace

std::vector<SourceKind> vdif_sources() {
  return {vdif_udp(), vdif_file(), vdif_pcap()};
}

}  // namespace takt::pipeline
