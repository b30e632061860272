#pragma once
/// Tables as text, as HTML and as CSV.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace takt {

class TextTable {
 public:
  /// A column's heading; numbers are right-aligned under theirs. Prose may be broken into lines.
  struct Column {
    std::string name;
    bool is_number = false;
    bool is_prose = false;
  };

  /// The first `keys` columns identify the rows.
  explicit TextTable(std::vector<Column> columns, std::size_t keys = 1)
      : columns_(std::move(columns)), keys_(keys) {}

  /// The row has as many cells as there are columns.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// Formats columns two blanks apart, without trailing blanks, each line after `indent` blanks. If the table
  /// is wider than 80 characters, it breaks headings first, then names of more than half of that, then prose.
  /// At last it splits the columns into blocks below each other, each with the keys; numbers are never
  /// broken.
  [[nodiscard]] std::string to_text(std::size_t indent = 0) const;
  /// RFC 4180, with a line of headings: cells with commas, quotes or line breaks are quoted.
  [[nodiscard]] std::string to_csv() const;
  /// For pages of core/pictures/html.hpp. A click on a heading of a sortable table sorts by that column.
  [[nodiscard]] std::string to_html(bool is_sortable = false) const;

 private:
  std::vector<Column> columns_;
  std::size_t keys_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace takt
