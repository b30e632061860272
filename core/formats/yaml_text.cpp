#include "core/formats/yaml_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace takt {

std::string yaml_scalar(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_plain = [&](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '/';
  };

  // Words that YAML 1.1 or 1.2 take for something else than text.
  constexpr std::array words{"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const bool is_word = std::find(words.begin(), words.end(), lower) != words.end();

  const bool plain_number = !text.empty() && std::all_of(text.begin(), text.end(), is_digit) &&
                            (text.size() == 1 || text.front() != '0');
  const bool plain_text =
      !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), is_plain) && !is_word;
  if (plain_number || plain_text) return std::string(text);

  std::string quoted = "\"";
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (quoted += '\\') += c;
    else if (code < 0x20 || code == 0x7f)
      quoted += fmt::format("\\x{:02x}", code);
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string indented(std::string_view text, std::size_t spaces) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.empty()) result.append(spaces, ' ').append(line);
    result += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return result;
}

}  // namespace takt
