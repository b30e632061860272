#include "pipeline/stages/sinks.hpp"

#include <algorithm>

#include "pipeline/kernel.hpp"
#include "sensors/null_sink.hpp"
#include "sensors/raw_sink.hpp"
#include "sensors/sigproc_sink.hpp"

namespace takt::pipeline {

namespace {

ParameterSpec path_parameter() {
  return {.name = "path",
          .type = ParameterType::output_file,
          .help = "the file to write; an old one is replaced at the first frame"};
}

SinkKind sigproc() {
  return {
      .name = "sigproc",
      .summary = "a SIGPROC filterbank file (.fil)",
      .parameters = {path_parameter(),
                     {.name = "source_name", .fallback = "takt", .help = "what was observed, for the header"},
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
                      .maximum = 1'000'000}},
      .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
        const sensors::SigprocOptions options{
            .path = parameters.text("path"),
            .source_name = parameters.text("source_name"),
            .telescope_id = static_cast<int>(parameters.integer("telescope_id")),
            .machine_id = static_cast<int>(parameters.integer("machine_id"))};
        try {
          return std::make_unique<sensors::SigprocSink>(options, input);
        } catch (const ConfigError& error) {
          throw InputError(error.what());
        }
      }};
}

SinkKind raw() {
  return {.name = "raw",
          .summary = "the frames' elements as they lie in memory, one frame after the other",
          .parameters = {path_parameter(),
                         {.name = "headers",
                          .type = ParameterType::boolean,
                          .fallback = "false",
                          .help = "whether each frame is preceded by its header"}},
          .make = [](const Parameters& parameters, const FrameType&) -> std::unique_ptr<sensors::Sink> {
            return std::make_unique<sensors::RawSink>(sensors::RawOptions{
                .path = parameters.text("path"), .headers = parameters.boolean("headers")});
          }};
}

SinkKind null() {
  return {.name = "null",
          .summary = "throws the frames away, for measurements",
          .parameters = {},
          .make = [](const Parameters&, const FrameType&) -> std::unique_ptr<sensors::Sink> {
            return std::make_unique<sensors::NullSink>();
          }};
}

}  // namespace

const std::vector<SinkKind>& all_sinks() {
  static const std::vector<SinkKind> table{sigproc(), raw(), null()};
  return table;
}

const SinkKind* find_sink(std::string_view name) {
  const auto found = std::ranges::find(all_sinks(), name, &SinkKind::name);
  return found == all_sinks().end() ? nullptr : &*found;
}

}  // namespace takt::pipeline
