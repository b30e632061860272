#include "core/pictures/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace takt {

namespace {

/// Characters on the screen: of UTF-8, all but the continuation bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string TextTable::to_text(std::size_t indent) const {
  std::vector<std::string> headings;
  for (const Column& column : columns_) headings.push_back(column.name);
  std::vector<std::size_t> width;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    width.push_back(width_of(headings[i]));
    for (const auto& row : rows_) width[i] = std::max(width[i], width_of(row[i]));
  }

  std::string text;
  const auto write = [&](const std::vector<std::string>& row) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(width[i] - width_of(row[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].is_number ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  write(headings);
  for (const auto& row : rows_) write(row);
  return text;
}

std::string TextTable::to_csv() const {
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    text += fmt::format("{}{}", i > 0 ? "," : "", csv_cell(columns_[i].name));
  text += '\n';
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += fmt::format("{}{}", i > 0 ? "," : "", csv_cell(row[i]));
    text += '\n';
  }
  return text;
}

}  // namespace takt
