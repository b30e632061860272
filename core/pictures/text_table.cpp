#include "core/pictures/text_table.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "core/pictures/html.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/text/printable.hpp"

namespace takt {

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

/// Escapes external names, which must not control the terminal; line breaks separate the lines of a cell.
std::string printable_lines(const std::string& text) {
  std::string result;
  for (const std::string& line : lines_of(text)) (result += result.empty() ? "" : "\n") += printable(line);
  return result;
}

std::size_t widest(const Lines& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, letters_of(line));
  return width;
}

/// Breaks a heading into lines of a width, or of its longest word.
std::string broken(std::string heading, std::size_t width) {
  std::ranges::replace(heading, '_', ' ');
  return fill(heading, width);
}

/// Continues longer lines in the next one: after a word separator (`_`, `-`, `/`, ...) in the last third,
/// otherwise anywhere. Drops no text.
std::string folded(const std::string& text, std::size_t width) {
  constexpr std::string_view parts_words = "_-/.:#, ";
  std::string result, line;
  std::size_t letters = 0, part = 0, letters_before_part = 0;
  for (const char byte : text) {
    const bool begins_letter = (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    if (byte == '\n' || (begins_letter && letters == width)) {
      const bool breaks_at_part = byte != '\n' && letters_before_part >= width * 2 / 3;
      const std::size_t cut = breaks_at_part ? part : line.size();
      result += line.substr(0, cut) + '\n';
      line.erase(0, cut);
      letters = breaks_at_part ? letters - letters_before_part : 0;
      letters_before_part = 0;
      if (byte == '\n') continue;
    }
    line += byte;
    letters += begins_letter ? 1 : 0;
    if (parts_words.find(byte) == std::string_view::npos) continue;
    part = line.size();
    letters_before_part = letters;
  }
  return result + line;
}

/// A table during layout: headings and cells may have several lines.
class Layout {
 public:
  Layout(const std::vector<TextTable::Column>& columns, const std::vector<std::vector<std::string>>& rows,
         std::size_t room)
      : columns_(columns), room_(room) {
    headings_.reserve(columns.size());
    for (const TextTable::Column& column : columns) headings_.push_back(column.name);
    cells_ = rows;
    for (auto& row : cells_)
      for (std::string& cell : row) cell = printable_lines(cell);
    measure();
    if (width() > room_) break_headings();
    if (width() > room_) fold_names();
    if (width() > room_) break_prose();
  }

  /// Splits the columns into blocks that fit the width, each with the first `keys` columns.
  [[nodiscard]] std::string to_text(std::size_t keys, std::size_t indent) const {
    std::string text;
    if (columns_.empty()) return text;
    for (std::size_t next = 0; next < columns_.size() || text.empty();) {
      std::vector<std::size_t> shown(next == 0 ? 0 : std::min(keys, next));
      std::iota(shown.begin(), shown.end(), std::size_t{0});
      const std::size_t repeated = shown.size();
      std::size_t used = 0;
      for (const std::size_t column : shown) used += widths_[column] + 2;
      while (next < columns_.size() && (shown.size() == repeated || used + widths_[next] <= room_)) {
        used += widths_[next] + 2;
        shown.push_back(next++);
      }
      if (!text.empty()) text += '\n';
      write(headings_, shown, indent, true, text);
      for (const auto& row : cells_) write(row, shown, indent, false, text);
    }
    return text;
  }

 private:
  [[nodiscard]] std::size_t width() const {
    return std::accumulate(widths_.begin(), widths_.end(), 2 * std::max<std::size_t>(widths_.size(), 1) - 2);
  }

  [[nodiscard]] std::size_t width_of_cells(std::size_t column) const {
    std::size_t width = 1;
    for (const auto& row : cells_) width = std::max(width, widest(lines_of(row[column])));
    return width;
  }

  void measure() {
    widths_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      widths_.push_back(std::max(widest(lines_of(headings_[i])), width_of_cells(i)));
  }

  void break_headings() {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      headings_[i] = broken(columns_[i].name, width_of_cells(i));
    measure();
  }

  /// Folds names that would leave no space for the other columns.
  void fold_names() {
    const std::size_t longest = room_ / 2, kept = room_ / 3;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!columns_[i].is_number && !columns_[i].is_prose && width_of_cells(i) > longest)
        for (auto& row : cells_) row[i] = folded(row[i], kept);
    break_headings();
  }

  /// Columns of prose share the remaining width; narrow ones take no more than they need.
  void break_prose() {
    constexpr std::size_t least = 16;
    std::vector<std::size_t> prose;
    std::size_t others = 2 * columns_.size() - 2;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i].is_prose ? prose.push_back(i) : void(others += widths_[i]);
    std::ranges::stable_sort(prose, {}, [&](std::size_t i) { return widths_[i]; });
    std::size_t left = room_ > others ? room_ - others : 0;
    for (std::size_t k = 0; k < prose.size(); ++k) {
      const std::size_t i = prose[k], share = std::max(least, left / (prose.size() - k));
      for (auto& row : cells_) row[i] = folded(fill(row[i], share), share);
      left -= std::min(left, std::min(share, widths_[i]));
    }
    break_headings();
  }

  void write(const std::vector<std::string>& row, const std::vector<std::size_t>& shown, std::size_t indent,
             bool is_heading, std::string& text) const {
    std::vector<Lines> cells;
    std::size_t height = 0;
    for (const std::size_t i : shown) {
      cells.push_back(lines_of(row[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      std::string line(indent, ' ');
      for (std::size_t j = 0; j < shown.size(); ++j) {
        // Headings are bottom-aligned, cells top-aligned.
        const std::size_t missing = is_heading ? height - cells[j].size() : 0;
        const std::string cell = k >= missing && k - missing < cells[j].size() ? cells[j][k - missing] : "";
        const std::string padding(widths_[shown[j]] - letters_of(cell), ' ');
        if (j > 0) line += "  ";
        line += columns_[shown[j]].is_number ? padding + cell : cell + padding;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
  }

  const std::vector<TextTable::Column>& columns_;
  std::size_t room_;
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> cells_;
  std::vector<std::size_t> widths_;
};

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
  return plain_blanks(Layout(columns_, rows_, text_columns - indent).to_text(keys_, indent));
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

std::string TextTable::to_html(bool is_sortable) const {
  const auto cell = [&](std::size_t column, std::string_view tag, const std::string& text) {
    const std::string_view kind = columns_[column].is_number  ? " class=\"number\""
                                  : columns_[column].is_prose ? " class=\"prose\""
                                                              : "";
    return fmt::format("<{0}{1}>{2}</{0}>", tag, kind, escape_markup(text));
  };
  std::string html = is_sortable ? "<table class=\"sortable\"><thead><tr>" : "<table><thead><tr>";
  for (std::size_t i = 0; i < columns_.size(); ++i) html += cell(i, "th", columns_[i].name);
  html += "</tr></thead><tbody>\n";
  for (const auto& row : rows_) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) html += cell(i, "td", row[i]);
    html += "</tr>\n";
  }
  return html + "</tbody></table>\n";
}

}  // namespace takt
