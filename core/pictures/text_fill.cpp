#include "core/pictures/text_fill.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace takt {

std::string fill(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  const std::string line_start = "\n" + std::string(indent, ' ');
  bool is_first_line = true;
  while (true) {
    std::string_view line = text.substr(0, text.find('\n'));
    const bool is_last = line.size() == text.size();
    text.remove_prefix(is_last ? line.size() : line.size() + 1);
    if (!is_first_line) result += line_start;
    is_first_line = false;
    while (!line.starts_with(' ') && line.size() > width) {
      std::size_t cut = line.rfind(' ', width);
      if (cut == std::string_view::npos) cut = std::min(line.find(' '), line.size());
      result += line.substr(0, cut);
      line.remove_prefix(std::min(cut + 1, line.size()));
      if (!line.empty()) result += line_start;
    }
    result += line;
    if (is_last) return result;
  }
}

std::string titled(std::string_view title, std::string_view text) {
  constexpr std::size_t indent = 12;
  return fmt::format("{:<{}} {}\n", title, indent - 1, fill(text, text_columns - indent, indent));
}

std::size_t letters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace takt
