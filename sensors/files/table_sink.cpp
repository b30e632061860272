#include "sensors/files/table_sink.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// Quotes a name for CSV or JSON; labels are identifiers, so that few names need quotes.
std::string quoted(const std::string& name, bool is_json) {
  if (!is_json && name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += is_json ? '\\' : '"';
    if (c == '\\' && is_json) text += '\\';
    text += c;
  }
  return text + '"';
}

std::string name_of_entry(const Axis& axis, std::size_t i) {
  if (i < axis.coordinates.size()) return fmt::format("{}={}", axis.name, axis.coordinates[i]);
  return fmt::format("{}={}", axis.name, i);
}

double coordinate(const Axis& axis, std::size_t i) {
  return i < axis.coordinates.size() ? axis.coordinates[i] : static_cast<double>(i);
}

}  // namespace

TableSink::TableSink(TableOptions options, const FrameType& type)
    : type_(type), format_(options.format), series_(std::move(options.output)) {
  const bool is_complex = std::string_view(name_of(type.element)).starts_with("complex");
  if (is_complex || !type.parts.empty() || type.axes.empty())
    throw ConfigError(fmt::format(
        "a table cannot hold {}: expected real numbers, with NaN for missing values", type.to_string()));
  const Axis& last = type.axes.back();
  columns_ = last.size;
  if (columns_ > most_columns)
    throw ConfigError(fmt::format("a table of {} columns (axis '{}' of {}): expected at most {}", columns_,
                                  last.name, type.to_string(), most_columns));
  if (!options.columns.empty() && options.columns.size() != columns_)
    throw ConfigError(fmt::format("{} names of columns ({}), but a row of {} has {}", options.columns.size(),
                                  fmt::join(options.columns, ", "), type.to_string(), columns_));
  rows_ = type.element_count() / columns_;
  has_prefix_ = std::ranges::find(options.columns, "utc") == options.columns.end();
  if (has_prefix_) {
    names_.emplace_back("utc");
    for (std::size_t i = 0; i + 1 < type.axes.size(); ++i) names_.push_back(type.axes[i].name);
  }
  for (std::size_t i = 0; i < columns_; ++i)
    names_.push_back(options.columns.empty() ? name_of_entry(last, i) : options.columns[i]);
}

void TableSink::write(const FrameView& frame) {
  text_.clear();
  for (std::size_t row = 0; row < rows_; ++row) add_row(frame, row);
  if (series_.turn_to(*frame.header, text_.size()) && format_ == TableFormat::csv) {
    std::string head;
    for (const std::string& name : names_) head += (head.empty() ? "" : ",") + quoted(name, false);
    head += '\n';
    series_.append({std::as_bytes(std::span(head))});
  }
  if (!text_.empty()) series_.append({std::as_bytes(std::span(text_))});
}

void TableSink::add_row(const FrameView& frame, std::size_t row) {
  const std::size_t first = row * columns_;
  bool is_empty = true;
  for (std::size_t i = 0; i < columns_ && is_empty; ++i)
    is_empty = !std::isfinite(value_at(frame, first + i));
  if (is_empty) return;
  std::size_t column = 0;
  if (has_prefix_) {
    add_cell(column++, static_cast<double>(frame.header->utc_ns) * 1e-9);
    std::size_t inner = rows_;
    for (std::size_t i = 0; i + 1 < type_.axes.size(); ++i) {
      inner /= type_.axes[i].size;
      add_cell(column++, coordinate(type_.axes[i], row / inner % type_.axes[i].size));
    }
  }
  for (std::size_t i = 0; i < columns_; ++i) add_cell(column++, value_at(frame, first + i));
  text_ += format_ == TableFormat::json ? "}\n" : "\n";
  lines_.add();
}

void TableSink::add_cell(std::size_t column, double value) {
  const bool is_json = format_ == TableFormat::json;
  if (is_json)
    text_ += (column == 0 ? "{" : ", ") + quoted(names_[column], true) + ": ";
  else if (column > 0)
    text_ += ',';
  if (!std::isfinite(value)) {
    if (is_json) text_ += "null";
  } else if (type_.element == ElementType::float32 && column + columns_ >= names_.size()) {
    text_ += fmt::format("{}", static_cast<float>(value));
  } else {
    text_ += fmt::format("{}", value);
  }
}

double TableSink::value_at(const FrameView& frame, std::size_t index) const {
  switch (type_.element) {
    case ElementType::int8:
      return frame.as<std::int8_t>()[index];
    case ElementType::uint8:
      return frame.as<std::uint8_t>()[index];
    case ElementType::int16:
      return frame.as<std::int16_t>()[index];
    case ElementType::int32:
      return frame.as<std::int32_t>()[index];
    case ElementType::float32:
      return frame.as<float>()[index];
    case ElementType::float64:
      return frame.as<double>()[index];
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

std::optional<std::vector<std::byte>> TableSink::save() const {
  StateWriter state;
  series_.save(state);
  return state.take();
}

void TableSink::resume(std::span<const std::byte> state) {
  StateReader reader(state);
  series_.resume(reader);
  reader.end();
}

std::vector<Counter> TableSink::counters() const {
  return {{"files", "files", series_.files()}, {"lines", "lines", lines_.value()}};
}

}  // namespace takt::sensors
