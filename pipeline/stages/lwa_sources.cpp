#include <cstdint>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/units.hpp"
#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "sensors/lwa/builder.hpp"
#include "sensors/lwa/codec.hpp"
#include "sensors/lwa/recording.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/packets/packet_sequence.hpp"

namespace takt::pipeline {

namespace {

std::vector<ParameterSpec> lwa_frame_parameters(std::vector<ParameterSpec> own) {
  own.push_back({.name = "packets",
                 .type = ParameterType::integer,
                 .fallback = "4",
                 .help = "packets of each signal and polarisation in a frame",
                 .minimum = 1,
                 .maximum = 1 << 16});
  own.push_back(
      {.name = "frequencies",
       .type = ParameterType::texts,
       .fallback = "",
       .help = "centre frequency of each signal: [38.1 MHz, 74 MHz]; none: unknown, or by the file"});
  return with_assembly(std::move(own));
}

/// Returns the parameters of a stream, which no file describes.
std::vector<ParameterSpec> lwa_stream_parameters() {
  return lwa_frame_parameters({{.name = "mode",
                                .fallback = "drx",
                                .help = "packets of beams (drx) or of stands in a narrow band (tbn)",
                                .choices = {"drx", "tbn"}},
                               {.name = "beams",
                                .type = ParameterType::integers,
                                .fallback = "1",
                                .help = "drx: beams, in the order of their signals in a frame",
                                .minimum = 1,
                                .maximum = 7},
                               {.name = "tunings",
                                .type = ParameterType::integers,
                                .fallback = "1, 2",
                                .help = "drx: tunings of each beam; each is a signal",
                                .minimum = 1,
                                .maximum = 7},
                               {.name = "stands",
                                .type = ParameterType::integers,
                                .fallback = "1",
                                .help = "tbn: stands; each is a signal",
                                .minimum = 1,
                                .maximum = 8191},
                               {.name = "sample_rate",
                                .type = ParameterType::frequency,
                                .help = "complex samples per second: 196 MHz divided by a whole number, such "
                                        "as 19.6 MHz (drx) and 100 kHz (tbn)"}});
}

void read_frame_parameters(const Parameters& parameters, sensors::LwaFormat& format) {
  format.packets = static_cast<std::size_t>(parameters.integer("packets"));
  const std::vector<std::string> texts = parameters.texts("frequencies");
  if (texts.empty()) return;
  format.frequencies_hz.clear();
  for (const std::string& text : texts) {
    try {
      format.frequencies_hz.push_back(parse_frequency(text).hertz);
    } catch (const ConfigError& error) {
      throw sensors::OptionError("frequencies", error.what());
    }
  }
}

sensors::LwaFormat live_lwa_format(const Parameters& parameters) {
  sensors::LwaFormat format;
  format.mode = parameters.text("mode") == "tbn" ? sensors::LwaMode::tbn : sensors::LwaMode::drx;
  if (format.mode == sensors::LwaMode::tbn) {
    for (const std::int64_t stand : parameters.integers("stands"))
      format.signals.push_back(static_cast<std::uint16_t>(stand));
  } else {
    for (const std::int64_t beam : parameters.integers("beams"))
      for (const std::int64_t tuning : parameters.integers("tunings"))
        format.signals.push_back(
            sensors::drx_signal(static_cast<unsigned>(beam), static_cast<unsigned>(tuning)));
  }
  format.sample_hz = parameters.frequency("sample_rate").hertz;
  read_frame_parameters(parameters, format);
  return format;
}

EmulatedSender lwa_sender(const Parameters& parameters, const SenderPlace& place) {
  const sensors::LwaFormat format = live_lwa_format(parameters);
  std::vector<std::string> words{"send", "--protocol", "lwa"};
  const auto option = [&](const char* name, const std::string& value) {
    words.emplace_back(name);
    words.push_back(value);
  };
  const auto numbers = [&](const char* parameter) {
    std::string text;
    for (const std::int64_t number : parameters.integers(parameter))
      text += fmt::format("{}{}", text.empty() ? "" : ",", number);
    return text;
  };
  option("--mode", parameters.text("mode"));
  if (format.mode == sensors::LwaMode::tbn) {
    option("--stands", numbers("stands"));
  } else {
    option("--beams", numbers("beams"));
    option("--tunings", numbers("tunings"));
  }
  option("--decimation", fmt::format("{}", format.decimation()));
  std::string frequencies;
  for (const double hz : format.frequencies_hz)
    frequencies += fmt::format("{}{} Hz", frequencies.empty() ? "" : ",", hz);
  if (!frequencies.empty()) option("--frequencies", frequencies);
  return sender_over_udp(parameters, place, std::move(words));
}

SourceKind lwa_udp() {
  SourceKind kind =
      live_source("lwa_udp", "a live LWA station: UDP packets of beams (DRX) or stands (TBN)",
                  with_udp("one or several ports, for all signals together", lwa_stream_parameters()));
  kind.make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
    return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
      return std::make_unique<sensors::UdpSource>(
          udp_options(parameters),
          sensors::lwa_packets(live_lwa_format(parameters), assembly_of(parameters), index));
    });
  };
  kind.sender = lwa_sender;
  return kind;
}

SourceKind lwa_pcap() {
  SourceKind kind =
      recorded_source("lwa_pcap", "a capture (pcap or pcapng file) of an LWA station's packets",
                      with_capture("destination ports, for all signals together", lwa_stream_parameters()));
  kind.make = [](const Parameters& parameters, std::uint32_t index) {
    return at_place(parameters, [&] {
      const sensors::LwaFormat format = live_lwa_format(parameters);
      return captured_source(parameters, sensors::lwa_packets(format, assembly_of(parameters), index),
                             [format] { return std::make_unique<sensors::LwaCodec>(format); });
    });
  };
  return kind;
}

SourceKind lwa_file() {
  SourceKind kind = recorded_source("lwa_file", "a file of an LWA station's packets, TBN or DRX, all signals",
                                    lwa_frame_parameters({{.name = "file",
                                                           .type = ParameterType::recordings,
                                                           .help = "file, or several files of one stream"},
                                                          replay_speed()}));
  kind.make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
    return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
      const std::vector<std::filesystem::path> files = recordings_of(parameters, "file");
      sensors::LwaFormat format = sensors::read_lwa_format(files.front());
      read_frame_parameters(parameters, format);
      return std::make_unique<sensors::PacketFileSource>(
          sensors::PacketFileOptions{.speed = parameters.number("speed"),
                                     .recording = sensors::name_of_files(files)},
          sensors::lwa_packets(format, assembly_of(parameters), index), [files, format] {
            return sensors::open_packets(files, [&](const std::filesystem::path& file) {
              return std::make_unique<sensors::LwaRecording>(file, format);
            });
          });
    });
  };
  return kind;
}

}  // namespace

std::vector<SourceKind> lwa_sources() {
  return {lwa_udp(), lwa_file(), lwa_pcap()};
}

}  // namespace takt::pipeline
