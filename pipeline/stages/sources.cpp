#include "pipeline/stages/sources.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "pipeline/stages/file_sources.hpp"
#include "pipeline/stages/frame_types.hpp"
#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "pipeline/stages/seismic_sources.hpp"
#include "pipeline/stages/start_time.hpp"
#include "pipeline/stages/stream_stages.hpp"
#include "sensors/synthetic/synthetic_source.hpp"

namespace takt::pipeline {

namespace {

using sensors::FrameType;

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
  return {
      .name = "synthetic",
      .summary = "synthetic frames of any type and rate",
      .parameters = with_frame_type(
          {{.name = "speed",
            .type = ParameterType::number,
            .fallback = "1",
            .help = "multiple of the rate; 0: as fast as possible",
            .minimum = 0},
           {.name = "pattern",
            .fallback = "zeros",
            .help = "signal in the frames",
            .choices = names_of(patterns)},
           {.name = "amplitude",
            .type = ParameterType::number,
            .fallback = "1",
            .help = "amplitude of the tone; standard deviation of the noise",
            .minimum = 0},
           {.name = "frequency",
            .type = ParameterType::number,
            .fallback = "0.125",
            .help = "frequency of the tone, in cycles per sample",
            .minimum = -0.5,
            .maximum = 0.5},
           {.name = "seed",
            .type = ParameterType::integer,
            .fallback = "1",
            .help = "seed of the noise",
            .minimum = 0},
           {.name = "frames",
            .type = ParameterType::integer,
            .fallback = "0",
            .help = "number of frames of the stream; 0: endless",
            .minimum = 0},
           start_parameter(
               "UTC of the first sample, such as 2013-07-02T01:37:40.5; default: the start of the run"),
           {.name = "depth",
            .type = ParameterType::integer,
            .fallback = "8",
            .help = "capacity of the queue, in frames; later ones are dropped and counted",
            .minimum = 1,
            .maximum = 4096}}),
      .make =
          [](const Parameters& parameters, std::uint32_t index) {
            sensors::SyntheticOptions options;
            options.type = frame_type_of(parameters);
            options.speed = parameters.number("speed");
            options.pattern = sensors::parse_pattern(parameters.text("pattern"));
            options.amplitude = parameters.number("amplitude");
            options.frequency = parameters.number("frequency");
            options.seed = static_cast<std::uint64_t>(parameters.integer("seed"));
            options.frames = static_cast<std::uint64_t>(parameters.integer("frames"));
            options.depth = static_cast<std::size_t>(parameters.integer("depth"));
            options.start_utc_ns = start_of(parameters);
            options.source = index;
            return make_at<sensors::SyntheticSource>(parameters, std::move(options));
          },
      .pace = [](const Parameters& parameters) { return parameters.number("speed"); },
      // The sample interval stays the same, since filters and files depend on it.
      .at_rate =
          [](double hertz, const FrameType& type) {
            return SourceKind::Values{
                type.rate_hz > 0
                    ? std::pair<std::string, std::string>("speed", fmt::format("{}", hertz / type.rate_hz))
                    : std::pair<std::string, std::string>("rate", fmt::format("{} Hz", hertz)),
                {"frames", "0"}};
          }};
}

}  // namespace

const std::vector<SourceKind>& all_sources() {
  static const std::vector<SourceKind> table = [] {
    std::vector<SourceKind> all;
    for (const auto& of_format : {lofar_sources(), lwa_sources(), vdif_sources(), mark5b_sources(),
                                  spead_sources(), gnuradio_sources()})
      all.insert(all.end(), of_format.begin(), of_format.end());
    for (const SourceKind& kind :
         {mseed_file_source(), seedlink_source(), tcp_source(), udp_source(), udp_pcap_source(), zmq_source(),
          raw_file_source(), sigproc_file_source(), dada_file_source(), guppi_file_source(),
          sigmf_file_source(), wav_file_source(), psrfits_file_source(), hdf5_file_source(), synthetic()})
      all.push_back(kind);
    return all;
  }();
  return table;
}

}  // namespace takt::pipeline
