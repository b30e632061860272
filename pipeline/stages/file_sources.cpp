#include "pipeline/stages/file_sources.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "pipeline/stages/frame_types.hpp"
#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "pipeline/stages/start_time.hpp"
#include "sensors/dada/header.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/guppi/recording.hpp"
#include "sensors/hdf5/file_source.hpp"
#include "sensors/hdf5/filterbank.hpp"
#include "sensors/psrfits/file.hpp"
#include "sensors/sigmf/header.hpp"
#include "sensors/sigproc/header.hpp"
#include "sensors/wav/header.hpp"

namespace takt::pipeline {

namespace {

using sensors::SampleLayout;

ParameterSpec file_parameter() {
  return {.name = "file", .type = ParameterType::recordings, .help = "file, or several files of one stream"};
}

ParameterSpec speed_parameter() {
  return {.name = "speed",
          .type = ParameterType::number,
          .fallback = "0",
          .help = "multiple of the file's own rate; 0: as fast as possible",
          .minimum = 0};
}

ParameterSpec samples_parameter() {
  return {.name = "samples",
          .type = ParameterType::integer,
          .fallback = "1024",
          .help = "time samples per frame",
          .minimum = 1,
          .maximum = 1 << 24};
}

ParameterSpec gap_parameter() {
  return {.name = "longest_gap",
          .type = ParameterType::time,
          .fallback = "10 s",
          .help = "longest gap between files within an epoch"};
}

/// Adds the parameters of all sources of files.
std::vector<ParameterSpec> with_files(const std::vector<ParameterSpec>& own) {
  std::vector<ParameterSpec> all{file_parameter()};
  all.insert(all.end(), own.begin(), own.end());
  all.insert(all.end(), {gap_parameter(), speed_parameter()});
  return all;
}

double speed_of(const Parameters& parameters) {
  return parameters.number("speed");
}

/// A file of unknown rate can only be read as fast as possible.
SourceKind::Values speed_at(double hertz, const sensors::FrameType& type) {
  if (hertz > 0 && type.rate_hz <= 0) return {};
  return {{"speed", fmt::format("{}", hertz > 0 ? hertz / type.rate_hz : 0.0)}};
}

/// `pieces_of` must read the pieces of one file.
template <class PiecesOf>
std::unique_ptr<sensors::Source> make_source(const Parameters& parameters, std::uint32_t index,
                                             const PiecesOf& pieces_of) {
  return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
    sensors::SampleFileOptions options{.pieces = {},
                                       .speed = parameters.number("speed"),
                                       .longest_gap = parameters.time("longest_gap"),
                                       .source = index};
    for (const std::filesystem::path& file : recordings_of(parameters, "file"))
      std::ranges::move(pieces_of(file), std::back_inserter(options.pieces));
    return std::make_unique<sensors::SampleFileSource>(std::move(options));
  });
}

std::size_t samples_of(const Parameters& parameters) {
  return static_cast<std::size_t>(parameters.integer("samples"));
}

/// Returns the layout of raw samples: the frame's first axis is time, and a row holds one index of it.
SampleLayout raw_layout(const Parameters& parameters) {
  SampleLayout layout;
  layout.type = frame_type_of(parameters);
  if (layout.type.axes.front().name != "time" && layout.type.axes.front().name != "sample")
    parameters.refuse(
        "axes", fmt::format("the first axis is '{}': expected time (or sample), the slowest axis in the file",
                            layout.type.axes.front().name));
  layout.offset = parameters.bytes("skip").count;
  layout.rows = layout.type.axes.front().size;
  layout.row_bytes = layout.type.data_size().count / layout.rows;
  layout.row_hz = layout.type.rate_hz * static_cast<double>(layout.rows);
  layout.utc_ns = start_of(parameters).value_or(0);
  take_as_they_are(layout, parameters.text("order") == "big");
  if (parameters.text("compression") == "none") layout.compression = sensors::Compression::none;
  layout.advice = "; if the file is not compressed, set compression: none";
  return layout;
}

using Pieces = std::vector<sensors::SamplePiece>;

/// Makes a kind of source for files that describe themselves.
template <Pieces (*pieces_of)(const std::filesystem::path& file, std::size_t samples)>
SourceKind source_of_files(const char* name, const char* summary) {
  return {.name = name,
          .summary = summary,
          .parameters = with_files({samples_parameter()}),
          .make =
              [](const Parameters& parameters, std::uint32_t index) {
                return make_source(parameters, index, [&](const std::filesystem::path& file) {
                  return pieces_of(file, samples_of(parameters));
                });
              },
          .pace = speed_of,
          .at_rate = speed_at};
}

Pieces sigproc_pieces(const std::filesystem::path& file, std::size_t samples) {
  return {{file, layout_of(sensors::read_sigproc_header(file), samples)}};
}

constexpr const char* start_of_header =
    "start of the observation, UTC: 2013-07-02T01:37:40.5; default: by the header";

sensors::DadaReading dada_reading(const Parameters& parameters) {
  return {.order = parameters.text("order"),
          .heap_samples = static_cast<std::size_t>(parameters.integer("heap_samples")),
          .start_ns = start_of(parameters),
          .is_high_first = parameters.text("bit_order") == "high"};
}

Pieces psrfits_pieces(const std::filesystem::path& file, std::size_t samples) {
  return sensors::read_psrfits(file, samples);
}

Pieces filterbank_pieces(const std::filesystem::path& file, std::size_t samples) {
  return {sensors::read_hdf5_filterbank(file, samples)};
}

/// Makes a source of frames written by takt, or of a filterbank.
std::unique_ptr<sensors::Source> make_hdf5(const Parameters& parameters, std::uint32_t index) {
  const std::vector<std::filesystem::path> files = recordings_of(parameters, "file");
  if (at_place(parameters, [&] { return sensors::is_hdf5_filterbank(files.front()); }))
    return make_source(parameters, index, [&](const std::filesystem::path& file) {
      return filterbank_pieces(file, samples_of(parameters));
    });
  return make_at<sensors::Hdf5FileSource>(
      parameters,
      sensors::Hdf5FileOptions{.files = files, .speed = parameters.number("speed"), .source = index});
}

std::unique_ptr<sensors::Source> make_sigmf(const Parameters& parameters, std::uint32_t index) {
  return make_source(parameters, index, [&](const std::filesystem::path& file) {
    const sensors::SigmfHeader header = sensors::read_sigmf(file, parameters.text("recording"));
    sensors::SigmfOptions options{.samples = samples_of(parameters),
                                  .zero = parameters.optional_number("offset"),
                                  .verify = parameters.boolean("verify")};
    if (const std::int64_t capture = parameters.integer("capture"); capture >= 0)
      options.capture = static_cast<std::size_t>(capture);
    return Pieces{{header.data, layout_of(header, options)}};
  });
}

}  // namespace

SourceKind raw_file_source() {
  return {.name = "raw_file",
          .summary = "raw samples of a file, described by the parameters",
          .parameters = with_frame_type(with_files(
              {{.name = "skip",
                .type = ParameterType::bytes,
                .fallback = "0",
                .help = "header of each file, in bytes"},
               {.name = "order", .fallback = "little", .help = "byte order", .choices = {"little", "big"}},
               start_parameter("time of the first sample, UTC: 2013-07-02T01:37:40.5; default: 1970"),
               {.name = "compression",
                .fallback = "detect",
                .help = "whether to decompress gzip and zstd files",
                .choices = {"detect", "none"}}})),
          .make =
              [](const Parameters& parameters, std::uint32_t index) {
                bool is_first = true;
                return make_source(parameters, index, [&](const std::filesystem::path& file) {
                  SampleLayout layout = raw_layout(parameters);
                  // The other files continue the first one.
                  if (!std::exchange(is_first, false)) layout.utc_ns = 0;
                  return Pieces{{file, std::move(layout)}};
                });
              },
          .pace = speed_of,
          .at_rate = speed_at};
}

SourceKind sigproc_file_source() {
  return source_of_files<sigproc_pieces>("sigproc_file", "a SIGPROC filterbank file (.fil) of 1 to 32 bits");
}

SourceKind dada_file_source() {
  return {.name = "dada_file",
          .summary = "a PSRDADA file of 1 to 32 bits, real or complex",
          .parameters = with_files(
              {samples_parameter(),
               {.name = "order",
                .fallback = "",
                .help = "axes from the slowest to the fastest, as the keyword ORDER; default: by the header"},
               {.name = "heap_samples",
                .type = ParameterType::integer,
                .fallback = "0",
                .help = "samples in a heap, as the keyword INNER_T; 0: by the header",
                .minimum = 0,
                .maximum = 1 << 20},
               {.name = "bit_order",
                .fallback = "low",
                .help = "bit order within a byte, for 1, 2 and 4 bits",
                .choices = {"low", "high"}},
               start_parameter(start_of_header)}),
          .make =
              [](const Parameters& parameters, std::uint32_t index) {
                return make_source(parameters, index, [&](const std::filesystem::path& file) {
                  return Pieces{{file, layout_of(sensors::read_dada_header(file, dada_reading(parameters)),
                                                 samples_of(parameters))}};
                });
              },
          .pace = speed_of,
          .at_rate = speed_at};
}

SourceKind guppi_file_source() {
  return {.name = "guppi_file",
          .summary = "a GUPPI raw file of 8 or 16 bits",
          .parameters = with_files({samples_parameter(),
                                    {.name = "polarisations",
                                     .type = ParameterType::integer,
                                     .fallback = "0",
                                     .help = "polarisations of a channel; 0: by NPOL",
                                     .minimum = 0,
                                     .maximum = 2},
                                    start_parameter(start_of_header)}),
          .make =
              [](const Parameters& parameters, std::uint32_t index) {
                const sensors::GuppiReading reading{
                    .polarisations = static_cast<std::size_t>(parameters.integer("polarisations")),
                    .start_ns = start_of(parameters)};
                return make_source(parameters, index, [&](const std::filesystem::path& file) {
                  return sensors::read_guppi(file, samples_of(parameters), reading);
                });
              },
          .pace = speed_of,
          .at_rate = speed_at};
}

SourceKind psrfits_file_source() {
  return source_of_files<psrfits_pieces>("psrfits_file", "a PSRFITS search-mode file of 1 to 32 bits");
}

SourceKind hdf5_file_source() {
  return {.name = "hdf5_file",
          .summary = "an HDF5 file: frames as the sink hdf5 writes them, or a filterbank as blimpy does",
          .parameters = with_files({samples_parameter()}),
          .make = make_hdf5,
          .pace = speed_of,
          .at_rate = speed_at};
}

SourceKind sigmf_file_source() {
  return {
      .name = "sigmf_file",
      .summary = "a SigMF recording, real or complex",
      .parameters = with_files(
          {samples_parameter(),
           {.name = "offset",
            .type = ParameterType::number,
            .fallback = "",
            .help = "value that stands for 0; default: half of the range of unsigned integers, else 0",
            .minimum = -1e30,
            .maximum = 1e30},
           {.name = "capture",
            .type = ParameterType::integer,
            .fallback = "-1",
            .help = "number of the capture segment to read, from 0; -1: all",
            .minimum = -1,
            .maximum = 1e9},
           {.name = "recording", .fallback = "", .help = "name of the recording in an archive of several"},
           {.name = "verify",
            .type = ParameterType::boolean,
            .fallback = "true",
            .help = "whether to verify core:sha512 before the run"}}),
      .make = make_sigmf,
      .pace = speed_of,
      .at_rate = speed_at};
}

SourceKind wav_file_source() {
  return {.name = "wav_file",
          .summary = "a WAV recording of a receiver (I and Q) or of audio",
          .parameters = with_files(
              {samples_parameter(),
               {.name = "iq",
                .fallback = "auto",
                .help = "whether pairs of channels are I and Q; auto: in files with a chunk auxi",
                .choices = {"iq", "real"}},
               start_parameter("time of the first sample, UTC: 2013-07-02T01:37:40.5; default: by the file"),
               {.name = "frequency",
                .type = ParameterType::frequency,
                .fallback = "0",
                .help = "centre of the band; 0: by the file"}}),
          .make =
              [](const Parameters& parameters, std::uint32_t index) {
                sensors::WavOptions options{
                    .samples = static_cast<std::size_t>(parameters.integer("samples")),
                    .utc_ns = start_of(parameters)};
                if (const std::string iq = parameters.text("iq"); iq != "auto") options.is_iq = iq == "iq";
                if (const double hertz = parameters.frequency("frequency").hertz; hertz != 0)
                  options.frequency_hz = hertz;
                return make_source(parameters, index, [&](const std::filesystem::path& file) {
                  Pieces pieces{{file, layout_of(sensors::read_wav(file), options)}};
                  // The other files continue the first one.
                  if (options.utc_ns) options.utc_ns = 0;
                  return pieces;
                });
              },
          .pace = speed_of,
          .at_rate = speed_at};
}

}  // namespace takt::pipeline
