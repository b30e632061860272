#include "pipeline/stages/seismic_sources.hpp"

#include <fmt/format.h>

#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "sensors/mseed/file_source.hpp"
#include "sensors/mseed/seedlink_source.hpp"

namespace takt::pipeline {

namespace {

ParameterSpec trace_samples() {
  return {.name = "samples",
          .type = ParameterType::integer,
          .fallback = "100",
          .help = "samples of each channel in a frame",
          .minimum = 1,
          .maximum = 1 << 24};
}

ParameterSpec trace_gap() {
  return {.name = "longest_gap",
          .type = ParameterType::time,
          .fallback = "600 s",
          .help = "longest silence of all channels within an epoch"};
}

}  // namespace

SourceKind mseed_file_source() {
  return {
      .name = "mseed_file",
      .summary = "miniSEED files: channels aligned by their times",
      .parameters =
          {{.name = "files", .type = ParameterType::recordings, .help = "the files to read"},
           {.name = "channels",
            .type = ParameterType::texts,
            .fallback = "",
            .help = "NET.STA.LOC.CHA of each channel, in a frame's order, with ? and * for any letters and "
                    "-- for an empty location; none: all, in alphabetical order"},
           {.name = "rate",
            .type = ParameterType::frequency,
            .fallback = "0",
            .help = "samples per second of the records to read; 0: those of each channel's first record"},
           trace_samples(),
           trace_gap(),
           {.name = "speed",
            .type = ParameterType::number,
            .fallback = "0",
            .help = "multiple of real time; 0: as fast as possible",
            .minimum = 0}},
      .make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
        sensors::MseedFileOptions options;
        options.files = recordings_of(parameters, "files");
        options.channels = parameters.texts("channels");
        options.rate_hz = parameters.frequency("rate").hertz;
        options.rows = static_cast<std::size_t>(parameters.integer("samples"));
        options.longest_gap = parameters.time("longest_gap");
        options.speed = parameters.number("speed");
        options.source = index;
        return make_at<sensors::MseedFileSource>(parameters, options);
      },
      .pace = [](const Parameters& parameters) { return parameters.number("speed"); },
      .at_rate =
          [](double hertz, const sensors::FrameType& type) {
            return SourceKind::Values{{"speed", fmt::format("{}", hertz / type.rate_hz)}};
          }};
}

SourceKind seedlink_source() {
  return {
      .name = "seedlink",
      .summary = "seismic stations, live from a SeedLink server",
      .parameters =
          {{.name = "server", .help = "HOST:PORT of the server, usually port 18000"},
           {.name = "channels",
            .type = ParameterType::texts,
            .help = "NET.STA.LOC.CHA of each channel, in a frame's order"},
           {.name = "rate", .type = ParameterType::frequency, .help = "samples per second of every channel"},
           trace_samples(),
           {.name = "window",
            .type = ParameterType::time,
            .fallback = "60 s",
            .help = "longest wait for late channels: then the frame is output incomplete"},
           trace_gap(),
           {.name = "reconnect",
            .type = ParameterType::time,
            .fallback = "5 s",
            .help = "time before a reconnection"},
           {.name = "version",
            .fallback = "newest",
            .help = "version of SeedLink: the newest of the server, or only 3 or 4",
            .choices = {"newest", "3", "4"}},
           {.name = "depth",
            .type = ParameterType::integer,
            .fallback = "64",
            .help = "capacity of the queue to the pipeline, in complete frames; later ones are dropped",
            .minimum = 1,
            .maximum = 65536},
           {.name = "idle_timeout",
            .type = ParameterType::time,
            .fallback = "0",
            .help = "silence that ends the stream; 0: none"}},
      .is_live = true,
      .make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
        sensors::SeedlinkOptions options;
        options.server = parameters.text("server");
        options.channels = parameters.texts("channels");
        options.grid.rate_hz = parameters.frequency("rate").hertz;
        options.grid.rows = static_cast<std::size_t>(parameters.integer("samples"));
        options.grid.window = parameters.time("window");
        options.grid.longest_gap = parameters.time("longest_gap");
        options.grid.source = static_cast<std::uint16_t>(index);
        options.reconnect = parameters.time("reconnect");
        const std::string version = parameters.text("version");
        options.version = version == "3"   ? sensors::SeedlinkVersion::three
                          : version == "4" ? sensors::SeedlinkVersion::four
                                           : sensors::SeedlinkVersion::newest;
        options.depth = static_cast<std::size_t>(parameters.integer("depth"));
        options.idle_timeout = parameters.time("idle_timeout");
        return make_at<sensors::SeedlinkSource>(parameters, options);
      }};
}

}  // namespace takt::pipeline
