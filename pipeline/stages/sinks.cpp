#include "pipeline/stages/sinks.hpp"

#include <algorithm>
#include <optional>

#include "pipeline/file_parameters.hpp"
#include "pipeline/kernel.hpp"
#include "pipeline/stages/stream_stages.hpp"
#include "sensors/dada/sink.hpp"
#include "sensors/files/raw_sink.hpp"
#include "sensors/files/table_sink.hpp"
#include "sensors/guppi/sink.hpp"
#include "sensors/hdf5/sink.hpp"
#include "sensors/mseed/sink.hpp"
#include "sensors/null_sink.hpp"
#include "sensors/option_error.hpp"
#include "sensors/psrfits/sink.hpp"
#include "sensors/sigproc/sink.hpp"
#include "sensors/vdif/sink.hpp"
#include "sensors/vdif/udp_sink.hpp"
#include "sensors/wav/sink.hpp"

namespace takt::pipeline {

namespace {

ParameterSpec flags_parameter(const std::string& usual, const std::string& where) {
  return {.name = "flags",
          .type = ParameterType::texts,
          .fallback = "",
          .help = "replacement of missing values: zero, hold or nan (" + usual + "); mask: " + where +
                  " marks each missing value",
          .choices = sensors::missing_names()};
}

sensors::MissingPolicy missing_of(const Parameters& parameters, sensors::Missing usual) {
  try {
    return sensors::parse_missing(parameters.texts("flags"), usual);
  } catch (const ConfigError& error) {
    parameters.refuse("flags", error.message());
  }
}

std::optional<sensors::MissingPolicy> missing_or_as_received(const Parameters& parameters,
                                                             const FrameType& input) {
  if (parameters.texts("flags").empty()) return std::nullopt;
  return missing_of(parameters, sensors::missing_as_received(input.element));
}

/// Makes a sink, whose constructor throws for invalid options and for frames that its file does not support.
template <class Sink, class Options>
std::unique_ptr<sensors::Sink> make_sink(const Parameters& parameters, const Options& options,
                                         const FrameType& input) {
  try {
    return std::make_unique<Sink>(options, input);
  } catch (const sensors::OptionError& error) {
    parameters.refuse(error.option(), error.message());
  } catch (const ConfigError& error) {
    throw InputError(error.what());
  }
}

/// Returns the names of the mask files that are written next to data files.
std::vector<std::string> mask_files(const Parameters& parameters) {
  if (!missing_of(parameters, sensors::Missing::zero).mask) return {};
  return {parameters.text("path") + ".mask"};
}

SinkKind sigproc() {
  return {
      .name = "sigproc",
      .summary = "a SIGPROC filterbank file (.fil)",
      .parameters = file_parameters(
          {flags_parameter("default: zero", "a file .mask next to each file"),
           {.name = "bits",
            .type = ParameterType::integer,
            .fallback = "0",
            .help = "bits per value: uint8, from quantise: 8, 4, 2 or 1; float32: 32, or 16 (nearest "
                    "integer); 0: those of the elements",
            .minimum = 0,
            .maximum = 32},
           {.name = "source_name", .fallback = "takt", .help = "observed object, for the header"},
           {.name = "telescope_id",
            .type = ParameterType::integer,
            .fallback = "0",
            .help = "number in SIGPROC's list of telescopes; 0: none of them",
            .minimum = 0,
            .maximum = 1'000'000},
           {.name = "machine_id",
            .type = ParameterType::integer,
            .fallback = "0",
            .help = "number in SIGPROC's list of backends; 0: none of them",
            .minimum = 0,
            .maximum = 1'000'000}}),
      .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
        const sensors::SigprocOptions options{
            .output = output_options(parameters),
            .missing = missing_of(parameters, input.element == ElementType::uint8 ? sensors::Missing::blank
                                                                                  : sensors::Missing::zero),
            .bits = static_cast<int>(parameters.integer("bits")),
            .source_name = parameters.text("source_name"),
            .telescope_id = static_cast<int>(parameters.integer("telescope_id")),
            .machine_id = static_cast<int>(parameters.integer("machine_id"))};
        try {
          return std::make_unique<sensors::SigprocSink>(options, input);
        } catch (const ConfigError& error) {
          throw InputError(error.what());
        }
      },
      .companions = mask_files};
}

SinkKind dada() {
  return {.name = "dada",
          .summary = "a PSRDADA file, complex or real, of 32-bit floats",
          .parameters = file_parameters(
              {{.name = "source_name", .fallback = "takt", .help = "observed object, for the header"},
               {.name = "telescope", .fallback = "unset", .help = "telescope, for the header"},
               {.name = "instrument", .fallback = "takt", .help = "instrument, for the header"},
               flags_parameter("default: zero", "a file .mask next to each file")}),
          .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
            const sensors::DadaOptions options{.output = output_options(parameters),
                                               .source_name = parameters.text("source_name"),
                                               .telescope = parameters.text("telescope"),
                                               .instrument = parameters.text("instrument"),
                                               .missing = missing_of(parameters, sensors::Missing::zero)};
            try {
              return std::make_unique<sensors::DadaSink>(options, input);
            } catch (const ConfigError& error) {
              throw InputError(error.what());
            }
          },
          .companions = mask_files};
}

/// Returns the parameters of VDIF packets, after those of their destination.
std::vector<ParameterSpec> with_vdif_packets(std::vector<ParameterSpec> own) {
  const std::vector<ParameterSpec> common{
      {.name = "bits",
       .type = ParameterType::integer,
       .fallback = "2",
       .help = "bits of each sample, or of each real or imaginary part",
       .minimum = 1,
       .maximum = 32},
      {.name = "scale",
       .type = ParameterType::number,
       .fallback = "1",
       .help = "factor before quantisation; for noise of 2 bits: to a deviation of 2.2",
       .minimum = 1e-30,
       .maximum = 1e30},
      {.name = "payload",
       .type = ParameterType::bytes,
       .fallback = "0",
       .help = "bytes of samples per VDIF frame; 0: the maximum, up to 8000",
       .minimum = 0,
       .maximum = 1 << 27},
      {.name = "station",
       .type = ParameterType::integer,
       .fallback = "0",
       .help = "number of the station, for the headers",
       .minimum = 0,
       .maximum = 65535}};
  own.insert(own.end(), common.begin(), common.end());
  return own;
}

sensors::VdifPacketOptions vdif_packet_options(const Parameters& parameters) {
  return {.bits = static_cast<int>(parameters.integer("bits")),
          .scale = parameters.number("scale"),
          .payload_bytes = parameters.bytes("payload").count,
          .station = static_cast<std::uint16_t>(parameters.integer("station"))};
}

SinkKind vdif() {
  return {.name = "vdif",
          .summary = "a VDIF file, real or complex, of 1 to 32 bits",
          .parameters = file_parameters(with_vdif_packets({})),
          .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
            const sensors::VdifSinkOptions options{.output = output_options(parameters),
                                                   .packets = vdif_packet_options(parameters)};
            try {
              return std::make_unique<sensors::VdifSink>(options, input);
            } catch (const ConfigError& error) {
              throw InputError(error.what());
            }
          }};
}

SinkKind vdif_udp_sink() {
  return {.name = "vdif_udp",
          .summary = "VDIF packets to a UDP address, one per datagram",
          .parameters =
              with_vdif_packets({{.name = "to", .help = "where to: HOST:PORT"},
                                 {.name = "numbered",
                                  .type = ParameterType::boolean,
                                  .fallback = "false",
                                  .help = "whether each packet begins with its number, 64 bits (VTP)"}}),
          .is_live = true,
          .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
            sensors::VdifUdpSinkOptions options;
            options.packets = vdif_packet_options(parameters);
            options.has_sequence = parameters.boolean("numbered");
            try {
              options.to = sensors::parse_destination(parameters.text("to"));
            } catch (const ConfigError& error) {
              parameters.refuse("to", error.what());
            }
            if (options.packets.payload_bytes > 65'000)
              parameters.refuse("payload", "expected at most 65000 bytes, the limit of a datagram");
            try {
              return std::make_unique<sensors::VdifUdpSink>(options, input);
            } catch (const ConfigError& error) {
              throw InputError(error.what());
            }
          }};
}

/// In the order of TraceEncoding.
std::vector<std::string> trace_encodings() {
  return {"steim1", "steim2", "int16", "int32", "float32", "float64"};
}

SinkKind mseed() {
  return {.name = "mseed",
          .summary = "a miniSEED file, version 2 or 3",
          .parameters = file_parameters({{.name = "channels",
                                          .type = ParameterType::texts,
                                          .help = "NET.STA.LOC.CHA of each channel of a frame"},
                                         {.name = "encoding",
                                          .fallback = "steim2",
                                          .help = "encoding of the samples; integers are rounded",
                                          .choices = trace_encodings()},
                                         {.name = "version",
                                          .type = ParameterType::integer,
                                          .fallback = "2",
                                          .help = "version of the format: 2 or 3",
                                          .minimum = 2,
                                          .maximum = 3}}),
          .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
            const std::vector<std::string> encodings = trace_encodings();
            const auto encoding = std::ranges::find(encodings, parameters.text("encoding"));
            const sensors::MseedSinkOptions options{
                .output = output_options(parameters),
                .channels = parameters.texts("channels"),
                .encoding = static_cast<sensors::TraceEncoding>(encoding - encodings.begin()),
                .version = static_cast<sensors::MseedVersion>(parameters.integer("version"))};
            try {
              return std::make_unique<sensors::MseedSink>(options, input);
            } catch (const ConfigError& error) {
              throw InputError(error.what());
            }
          }};
}

SinkKind hdf5() {
  return {.name = "hdf5",
          .summary = "an HDF5 file with data, axes, times and a mask of missing values",
          .parameters = file_parameters(
              {{.name = "deflate",
                .type = ParameterType::integer,
                .fallback = "0",
                .help = "compression: 0 none, 9 the most",
                .minimum = 0,
                .maximum = 9},
               {.name = "title", .fallback = "", .help = "observed object and instrument, for the header"},
               flags_parameter("default: unchanged", "a dataset /mask")},
              "1 s"),
          .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
            try {
              return std::make_unique<sensors::Hdf5Sink>(
                  sensors::Hdf5Options{.output = output_options(parameters),
                                       .deflate = static_cast<int>(parameters.integer("deflate")),
                                       .title = parameters.text("title"),
                                       .missing = missing_or_as_received(parameters, input)},
                  input);
            } catch (const ConfigError& error) {
              throw InputError(error.what());
            }
          }};
}

SinkKind guppi() {
  return {.name = "guppi",
          .summary = "a GUPPI raw file of complex samples of 8 or 16 bits",
          .parameters = file_parameters(
              {{.name = "bits",
                .type = ParameterType::integer,
                .fallback = "8",
                .help = "bits of each real or imaginary part: 8 or 16",
                .minimum = 8,
                .maximum = 16},
               {.name = "scale",
                .type = ParameterType::number,
                .fallback = "1",
                .help = "factor before rounding",
                .minimum = 1e-30,
                .maximum = 1e30},
               {.name = "source_name", .fallback = "takt", .help = "observed object, for the header"},
               {.name = "telescope", .fallback = "unset", .help = "telescope, for the header"},
               {.name = "backend", .fallback = "takt", .help = "recorder, for the header"},
               flags_parameter("zero by default", "a file .mask next to each file")}),
          .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
            const sensors::GuppiSinkOptions options{.output = output_options(parameters),
                                                    .missing = missing_of(parameters, sensors::Missing::zero),
                                                    .bits = static_cast<int>(parameters.integer("bits")),
                                                    .scale = parameters.number("scale"),
                                                    .source_name = parameters.text("source_name"),
                                                    .telescope = parameters.text("telescope"),
                                                    .backend = parameters.text("backend")};
            return make_sink<sensors::GuppiSink>(parameters, options, input);
          },
          .companions = mask_files};
}

SinkKind psrfits() {
  return {
      .name = "psrfits",
      .summary = "a PSRFITS search-mode file of 8 or 32 bits",
      .parameters = file_parameters(
          {flags_parameter("zero by default", "a file .mask next to each file"),
           {.name = "bits",
            .type = ParameterType::integer,
            .fallback = "0",
            .help = "bits per value: float32: 32, or 8 with a scale for each row and channel; uint8: 8; 0: "
                    "those of the elements",
            .minimum = 0,
            .maximum = 32},
           {.name = "source_name", .fallback = "takt", .help = "observed object, for the header"},
           {.name = "telescope", .fallback = "unset", .help = "telescope, for the header"},
           {.name = "backend", .fallback = "takt", .help = "recorder, for the header"}}),
      .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
        const bool is_integer = input.element == ElementType::uint8;
        const sensors::PsrfitsSinkOptions options{
            .output = output_options(parameters),
            .missing = missing_of(parameters, is_integer ? sensors::Missing::blank : sensors::Missing::zero),
            .bits = static_cast<int>(parameters.integer("bits")),
            .source_name = parameters.text("source_name"),
            .telescope = parameters.text("telescope"),
            .backend = parameters.text("backend")};
        return make_sink<sensors::PsrfitsSink>(parameters, options, input);
      },
      .companions = mask_files};
}

SinkKind wav() {
  return {.name = "wav",
          .summary = "a WAV file of I and Q, or of real samples, RF64 beyond 4 GiB",
          .parameters = file_parameters(
              {{.name = "encoding",
                .fallback = "float32",
                .help = "encoding of the samples; int16: the nearest integers",
                .choices = {"float32", "int16"}},
               {.name = "scale",
                .type = ParameterType::number,
                .fallback = "1",
                .help = "factor before rounding",
                .minimum = 1e-30,
                .maximum = 1e30},
               {.name = "frequency",
                .type = ParameterType::frequency,
                .fallback = "0",
                .help = "centre of the band, for the header, whole Hz; 0: that of the frames"},
               flags_parameter("zero by default", "a file .mask next to each file")}),
          .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
            sensors::WavSinkOptions options{.output = output_options(parameters),
                                            .missing = missing_of(parameters, sensors::Missing::zero),
                                            .encoding = parameters.text("encoding") == "int16"
                                                            ? sensors::WavEncoding::int16
                                                            : sensors::WavEncoding::float32,
                                            .scale = parameters.number("scale")};
            if (const double hertz = parameters.frequency("frequency").hertz; hertz != 0)
              options.frequency_hz = hertz;
            return make_sink<sensors::WavSink>(parameters, options, input);
          },
          .companions = mask_files};
}

SinkKind raw() {
  return {.name = "raw",
          .summary = "the elements of the frames as in memory, frame by frame",
          .parameters = file_parameters(
              {{.name = "headers",
                .type = ParameterType::boolean,
                .fallback = "false",
                .help = "whether each frame is preceded by its header"},
               {.name = "part_flags",
                .type = ParameterType::boolean,
                .fallback = "false",
                .help = "whether each frame is followed by a byte for each part, 1 where it is missing"},
               flags_parameter("default: unchanged", "a file .mask next to each file")}),
          .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
            const sensors::RawOptions options{.output = output_options(parameters),
                                              .headers = parameters.boolean("headers"),
                                              .part_flags = parameters.boolean("part_flags"),
                                              .missing = missing_or_as_received(parameters, input)};
            try {
              return std::make_unique<sensors::RawSink>(options, input);
            } catch (const ConfigError& error) {
              throw InputError(error.what());
            }
          },
          .companions = mask_files};
}

SinkKind text_table() {
  return {
      .name = "table",
      .summary = "rows of text, CSV or JSON lines: events, or other results with a few columns",
      .parameters = file_parameters(
          {{.name = "format",
            .fallback = "csv",
            .help = "csv: a header and comma-separated values; json: one object per line",
            .choices = {"csv", "json"}},
           {.name = "columns",
            .type = ParameterType::texts,
            .fallback = "",
            .help = "names of the entries of the frames' last axis; default: NAME=COORDINATE of the axis"}}),
      .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
        const bool is_json = parameters.text("format") == "json";
        try {
          return std::make_unique<sensors::TableSink>(
              sensors::TableOptions{
                  .output = output_options(parameters),
                  .format = is_json ? sensors::TableFormat::json : sensors::TableFormat::csv,
                  .columns = parameters.texts("columns")},
              input);
        } catch (const ConfigError& error) {
          throw InputError(error.what());
        }
      }};
}

SinkKind null() {
  return {.name = "null",
          .summary = "discards the frames, for measurements",
          .parameters = {},
          .make = [](const Parameters&, const FrameType&) -> std::unique_ptr<sensors::Sink> {
            return std::make_unique<sensors::NullSink>();
          }};
}

}  // namespace

const std::vector<SinkKind>& all_sinks() {
  static const std::vector<SinkKind> table{sigproc(),       dada(),     guppi(),    psrfits(),  vdif(),
                                           vdif_udp_sink(), mseed(),    hdf5(),     wav(),      raw(),
                                           text_table(),    tcp_sink(), udp_sink(), zmq_sink(), null()};
  return table;
}

}  // namespace takt::pipeline
