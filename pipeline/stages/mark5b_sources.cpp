#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "sensors/dada/header.hpp"
#include "sensors/mark5b/recording.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/packets/packet_sequence.hpp"
#include "sensors/vdif/builder.hpp"

namespace takt::pipeline {

namespace {

/// Returns a time within the range of VDIF, to which Mark 5B frames are converted.
std::int64_t near_second(const Parameters& parameters) {
  std::int64_t second = 0;
  try {
    // A date alone means its midnight.
    const std::string text = parameters.text("near");
    second =
        sensors::parse_utc(text.find(':') == std::string::npos ? text + "T00:00:00" : text) / 1'000'000'000;
  } catch (const ConfigError& error) {
    parameters.refuse("near", error.what());
  }
  constexpr std::int64_t margin = 500 * 86400;
  if (second < sensors::first_vdif_second + margin || second > sensors::end_of_vdif_seconds - margin)
    parameters.refuse("near", "expected a date from 2002 to 2030");
  return second;
}

sensors::Mark5bFormat mark5b_format(const Parameters& parameters) {
  return {.channels = static_cast<std::size_t>(parameters.integer("channels")),
          .bits = static_cast<int>(parameters.integer("bits")),
          .sample_hz = parameters.frequency("sample_rate").hertz,
          .near_unix_second = near_second(parameters)};
}

SourceKind mark5b_file() {
  SourceKind kind =
      recorded_source("mark5b_file", "a Mark 5B file",
                      with_assembly({{.name = "file",
                                      .type = ParameterType::recordings,
                                      .help = "file, or several files of one stream"},
                                     {.name = "near",
                                      .help = "date within 500 days of the recording, 2014-06-13: a header "
                                              "has three digits of the day only"},
                                     {.name = "channels",
                                      .type = ParameterType::integer,
                                      .fallback = "1",
                                      .help = "channels of the recording: 1, 2, 4, 8 or 16",
                                      .minimum = 1,
                                      .maximum = 16},
                                     {.name = "bits",
                                      .type = ParameterType::integer,
                                      .fallback = "2",
                                      .help = "bits of a sample: 1 or 2",
                                      .minimum = 1,
                                      .maximum = 2},
                                     {.name = "sample_rate",
                                      .type = ParameterType::frequency,
                                      .help = "samples per second of each channel"},
                                     {.name = "packets",
                                      .type = ParameterType::integer,
                                      .fallback = "16",
                                      .help = "Mark 5B frames in a frame",
                                      .minimum = 1,
                                      .maximum = 1 << 20},
                                     {.name = "frequency",
                                      .type = ParameterType::frequency,
                                      .fallback = "0",
                                      .help = "sky frequency of the first channel's frequency 0; 0: unknown"},
                                     {.name = "spacing",
                                      .type = ParameterType::frequency,
                                      .fallback = "0",
                                      .help = "step from one channel's frequency to the next"},
                                     replay_speed()}));
  kind.make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
    return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
      const std::vector<std::filesystem::path> files = recordings_of(parameters, "file");
      const sensors::Mark5bFormat format = mark5b_format(parameters);
      sensors::VdifFormat vdif = vdif_format(format);
      vdif.description = sensors::read_mark5b_description(files.front());
      vdif.packets = static_cast<std::size_t>(parameters.integer("packets"));
      vdif.frequency_hz = parameters.frequency("frequency").hertz;
      vdif.spacing_hz = parameters.frequency("spacing").hertz;
      sensors::PacketFormat packets = sensors::vdif_packets(vdif, assembly_of(parameters), index);
      packets.name = "Mark 5B";
      return std::make_unique<sensors::PacketFileSource>(
          sensors::PacketFileOptions{.speed = parameters.number("speed"),
                                     .recording = sensors::name_of_files(files)},
          std::move(packets), [files, format] {
            return sensors::open_packets(files, [&](const std::filesystem::path& file) {
              return std::make_unique<sensors::Mark5bRecording>(file, format);
            });
          });
    });
  };
  return kind;
}

}  // namespace

std::vector<SourceKind> mark5b_sources() {
  return {mark5b_file()};
}

}  // namespace takt::pipeline
