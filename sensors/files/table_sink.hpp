#pragma once
/// Tables of text: events and other results that people, spreadsheets and scripts read.

#include <cstddef>
#include <string>
#include <vector>

#include "sensors/files/output_series.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

enum class TableFormat : std::uint8_t { csv, json };

struct TableOptions {
  OutputOptions output;
  TableFormat format = TableFormat::csv;
  /// Names for the entries of the last axis; empty: what each entry stands for.
  std::vector<std::string> columns = {};
};

/// A line for each row of a frame, the columns of which are the entries of its last axis; rows of which
/// nothing is there (NaN) are left out. Columns have the names given, or the value each entry stands for
/// (`channel=150000000`), or its index (`channel=7`). Where no name is `utc`, columns come before them for
/// the frame's UTC in s since 1970 and for each other axis: its coordinate, or its index.
///
/// CSV: RFC 4180, a header in each file, missing values empty. JSON: an object a line (JSON lines), missing
/// values null. Numbers are the shortest ones that are read back as they were. Infinities are missing.
class TableSink final : public Sink {
 public:
  static constexpr std::size_t most_columns = 4096;

  /// Throws ConfigError for frames that are not real numbers, that have more columns or another number of
  /// them than names, or of whose integers parts may be missing.
  TableSink(TableOptions options, const FrameType& type);

  void open() override { series_.open(); }
  void write(const FrameView& frame) override;
  void close() override { series_.close(); }
  void note(const std::string& line) override { series_.note(line); }
  void begin_file() override { series_.begin_file(); }
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void keep_book(const OutputBook& book) override { series_.keep_book(book); }
  [[nodiscard]] std::string location() const override { return series_.location(); }
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override { return series_.warnings(); }

 private:
  void add_row(const FrameView& frame, std::size_t row);
  void add_cell(std::size_t column, double value);
  [[nodiscard]] double value_at(const FrameView& frame, std::size_t index) const;

  const FrameType type_;
  const TableFormat format_;
  std::size_t columns_ = 1, rows_ = 1;
  /// Columns before those of the last axis, and all of their names.
  bool has_prefix_ = true;
  std::vector<std::string> names_;
  OutputSeries series_;
  std::string text_;
  Tally lines_;
};

}  // namespace takt::sensors
