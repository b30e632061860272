#include "core/pictures/text_fill.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace takt {

namespace {

bool begins_letter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

/// Returns the beginning of a character by its index; the end of shorter lines.
std::size_t begin_of_letter(std::string_view line, std::size_t number) {
  for (std::size_t at = 0; at < line.size(); ++at)
    if (begins_letter(line[at]) && number-- == 0) return at;
  return line.size();
}

}  // namespace

std::string plain_blanks(std::string text) {
  for (std::size_t at = 0; (at = text.find(no_break, at)) != std::string::npos;)
    text.replace(at, no_break.size(), 1, ' ');
  return text;
}

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
    for (std::size_t end = 0; !line.starts_with(' ') && (end = begin_of_letter(line, width)) < line.size();) {
      std::size_t cut = line.rfind(' ', end);
      if (cut == std::string_view::npos) cut = std::min(line.find(' '), line.size());
      result += line.substr(0, line.find_last_not_of(' ', cut) + 1);
      line.remove_prefix(std::min(line.find_first_not_of(' ', cut), line.size()));
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

std::string cut_in_the_middle(std::string_view text, std::size_t letters) {
  const std::size_t all = letters_of(text);
  if (all <= letters) return std::string(text);
  if (letters == 0) return "";
  const std::size_t last = (letters - 1) / 2;
  return fmt::format("{}\u2026{}", text.substr(0, begin_of_letter(text, letters - 1 - last)),
                     text.substr(begin_of_letter(text, all - last)));
}

std::size_t letters_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
}

}  // namespace takt
