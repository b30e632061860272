// `csv`: a line for each index of a frame's first axis, with commas between its numbers.

#include <fmt/format.h>
#include <takt/sensors/files/output_series.hpp>

#include "csv.hpp"

namespace {

using namespace takt;
using namespace takt::pipeline;

class CsvSink final : public sensors::Sink {
 public:
  CsvSink(const Parameters& parameters, const FrameType& type)
      : rows_(type.axes.front().size),
        // Whole frames only, one run a file, and no file of an earlier run lost: OutputSeries sees to it.
        series_({.path = parameters.text("path"),
                 .overwrite = parameters.boolean("overwrite"),
                 .rotate_size = parameters.bytes("rotate_size")}) {
    if (type.element != ElementType::float32)
      throw InputError(fmt::format("expected float32..., got {}", type.to_string()));
  }

  void open() override { series_.open(); }

  void write(const FrameView& frame) override {
    const std::span<const float> values = frame.as<float>();
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
      text += fmt::format("{}{}", values[i], (i + 1) % (values.size() / rows_) == 0 ? "\n" : ",");
    (void)series_.turn_to(*frame.header, text.size());
    series_.append({std::as_bytes(std::span(text))});
  }

  void close() override { series_.close(); }
  std::string location() const override { return series_.location(); }

 private:
  std::size_t rows_;
  sensors::OutputSeries series_;
};

}  // namespace

SinkKind csv_sink() {
  return {.name = "csv",
          .summary = "numbers as text, with commas between them",
          // `path` and `overwrite`: the file is checked before anything starts, and --overwrite reaches it.
          .parameters = {{.name = "path", .type = ParameterType::output_file, .help = "the file to write"},
                         {.name = "overwrite",
                          .type = ParameterType::boolean,
                          .fallback = "false",
                          .help = "whether a file of an earlier run is replaced"},
                         {.name = "rotate_size",
                          .type = ParameterType::bytes,
                          .fallback = "0",
                          .help = "largest size of a file: then a new one begins; 0: no limit"}},
          .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
            return std::make_unique<CsvSink>(parameters, input);
          }};
}
