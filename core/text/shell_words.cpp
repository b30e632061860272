#include "core/text/shell_words.hpp"

#include <algorithm>
#include <cctype>

namespace takt {

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain = "-_./=:,@%+";
  const auto is_plain = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || plain.find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + '\'';
}

std::string shell_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace takt
