// `csv_file`: lines of numbers with commas between them become frames float32[time][column].

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "csv.hpp"

namespace {

using namespace takt;
using namespace takt::pipeline;
using sensors::SourceCounters;
using sensors::SourceState;

class CsvSource final : public sensors::Source {
 public:
  // The type is known before anything starts, and nothing is opened yet.
  explicit CsvSource(const Parameters& parameters, std::uint32_t index)
      : file_name_(parameters.text("file")), index_(static_cast<std::uint16_t>(index)) {
    const auto rows = static_cast<std::size_t>(parameters.integer("rows"));
    const auto columns = static_cast<std::size_t>(parameters.integer("columns"));
    type_.element = ElementType::float32;
    type_.axes = {{"time", rows, {}}, {"column", columns, {}}};
    memory_.emplace(1, type_.size());
  }

  const FrameType& type() const override { return type_; }

  void start() override {
    file_.open(file_name_);
    if (!file_) throw ConfigError(file_name_ + ": cannot read the file");
  }

  // One frame at a time, in the source's memory. Rows after the end of the file are NaN, and the header
  // counts them.
  SourceState poll(FrameView& frame) override {
    const std::size_t rows = type_.axes[0].size, columns = type_.axes[1].size;
    auto* const values = reinterpret_cast<float*>(memory_->frame(0).data());
    std::fill_n(values, rows * columns, std::numeric_limits<float>::quiet_NaN());
    std::size_t row = 0;
    for (std::string line; !stopped_ && row < rows && std::getline(file_, line); ++row) {
      std::istringstream numbers(line);
      for (std::size_t column = 0; column < columns; ++column) {
        if (!(numbers >> values[row * columns + column]))
          throw WorkError(file_name_ + ": '" + line + "' has fewer numbers than columns");
        numbers.ignore(1, ',');
      }
    }
    if (row == 0) return SourceState::ended;
    header_ = {.sequence = frames_.value(),
               .first_sample = frames_.value() * rows,
               .parts = static_cast<std::uint32_t>(rows),
               .missing_parts = static_cast<std::uint32_t>(rows - row),
               .source = index_};
    frames_.add();
    frame = {&header_, memory_->frame(0)};
    return SourceState::frame;
  }

  void release() override {}
  void stop() override { stopped_ = true; }
  SourceCounters counters() const override { return {.ingested = frames_.value()}; }

 private:
  std::string file_name_;
  std::uint16_t index_;
  FrameType type_;
  std::optional<sensors::FrameMemory> memory_;
  FrameHeader header_;
  std::ifstream file_;
  bool stopped_ = false;
  sensors::Tally frames_;  // read by other threads
};

}  // namespace

SourceKind csv_file_source() {
  return {.name = "csv_file",
          .summary = "lines of numbers with commas between them",
          .parameters =
              {{.name = "file", .type = ParameterType::input_file, .help = "the file to read"},
               {.name = "columns", .type = ParameterType::integer, .help = "numbers in a line", .minimum = 1},
               {.name = "rows",
                .type = ParameterType::integer,
                .fallback = "4",
                .help = "lines that make a frame",
                .minimum = 1}},
          .make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
            return std::make_unique<CsvSource>(parameters, index);
          },
          // As fast as frames are taken.
          .pace = [](const Parameters&) { return 0.0; }};
}
