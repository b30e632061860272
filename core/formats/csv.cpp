#include "core/formats/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"

namespace takt {

namespace {

using CsvJson = nlohmann::ordered_json;

/// Reads row by row; a quoted cell may extend over several lines.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
  }

  /// First line of the current row.
  [[nodiscard]] int line() const { return line_; }

  /// Returns false at the end.
  bool next(std::vector<std::string>& cells) {
    cells.clear();
    if (at_ >= text_.size()) return false;
    line_ = next_line_;
    while (true) {
      cells.push_back(text_[at_] == '"' ? quoted() : plain());
      if (at_ >= text_.size()) return true;
      const char end = text_[at_++];
      if (end == ',' && at_ < text_.size()) continue;
      if (end == ',') cells.emplace_back();
      if (end == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
      ++next_line_;
      return true;
    }
  }

 private:
  std::string plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    const std::string cell(text_.substr(at_, end - at_));
    at_ = end;
    return cell;
  }
  std::string quoted() {
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++next_line_;
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += text_[at_++];
      } else {
        ++at_;
        break;
      }
    }
    // Characters after the quotes belong to the cell, too.
    return cell + plain();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 0, next_line_ = 1;
};

CsvJson cell_value(const std::string& cell) {
  if (cell.empty()) return nullptr;
  const char* const end = cell.data() + cell.size();
  std::int64_t whole = 0;
  if (const auto [rest, error] = std::from_chars(cell.data(), end, whole);
      error == std::errc{} && rest == end)
    return whole;
  double real = 0;
  if (const auto [rest, error] = std::from_chars(cell.data(), end, real);
      error == std::errc{} && rest == end && std::isfinite(real))
    return real;
  return cell;
}

}  // namespace

CsvJson rows_of_csv(std::string_view text, const std::string& file) {
  CsvReader reader(text);
  std::vector<std::string> names, cells;
  CsvJson rows = CsvJson::array();
  (void)reader.next(names);
  while (reader.next(cells)) {
    if (cells.size() == 1 && cells.front().empty()) continue;
    if (cells.size() != names.size())
      throw ConfigError({file, reader.line()},
                        fmt::format("a row of {} cells: expected {}, as many as the first line has names",
                                    cells.size(), names.size()));
    CsvJson row = CsvJson::object();
    for (std::size_t i = 0; i < cells.size(); ++i) row[names[i]] = cell_value(cells[i]);
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw ConfigError({file}, "has no row after its first line");
  return rows;
}

}  // namespace takt
