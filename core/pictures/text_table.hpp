#pragma once
/// Columns for people, and the same rows as CSV for programs.

#include <cstddef>
#include <string>
#include <vector>

namespace takt {

class TextTable {
 public:
  /// A column's heading; numbers are right-aligned under theirs.
  struct Column {
    std::string name;
    bool is_number = false;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// Columns two blanks apart, no blanks at the ends of lines. Each line begins with `indent` blanks.
  [[nodiscard]] std::string to_text(std::size_t indent = 0) const;
  /// RFC 4180, with a line of headings: cells with commas, quotes or line breaks are quoted.
  [[nodiscard]] std::string to_csv() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace takt
