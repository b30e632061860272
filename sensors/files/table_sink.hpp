#pragma once
/// Text tables of events and other results for people, spreadsheets and scripts.

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
  /// Names of the last axis's entries; empty: their coordinates.
  std::vector<std::string> columns = {};
};

/// Writes a line for each row of a frame; its columns are the entries of the last axis. Rows without any
/// value (all NaN) are omitted. Columns have the given names, or the entries' coordinates
/// (`channel=150000000`), or indices (`channel=7`). Unless a name is `utc`, additional columns come first:
/// the frame's UTC in s since 1970, and the coordinate or index of each other axis.
///
/// CSV: RFC 4180, a header in each file, missing values empty. JSON: one object per line (JSON lines),
/// missing values null. Numbers have the shortest form that preserves their value. Infinities are missing.
class TableSink final : public Sink {
 public:
  static constexpr std::size_t most_columns = 4096;

  /// Throws ConfigError for elements that are not real numbers, too many columns, a number of columns that
  /// differs from that of the names, and integers with missing parts.
  TableSink(TableOptions options, const FrameType& type);

  void open() override { series_.open(); }
  void write(const FrameView& frame) override;
  void close() override { series_.close(); }
  void note(const std::string& line) override { series_.note(line); }
  void begin_file() override { series_.begin_file(); }
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void use_output_book(const OutputBook& book) override { series_.use_output_book(book); }
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
  /// Whether columns precede those of the last axis; and the names of all.
  bool has_prefix_ = true;
  std::vector<std::string> names_;
  OutputSeries series_;
  std::string text_;
  Tally lines_;
};

}  // namespace takt::sensors
