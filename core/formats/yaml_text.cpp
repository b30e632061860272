#include "core/formats/yaml_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace takt {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}
bool is_plain(char c) {
  return is_letter(c) || is_decimal(c) || c == '.' || c == '-' || c == '/';
}

/// Longest word that YAML 1.1 or 1.2 does not treat as text.
constexpr std::size_t longest_yaml_word = 5;

/// Accepts most plain names; of these all except short words and 0.
bool is_plain_name(std::string_view text) {
  if (text.empty()) return false;
  if (is_decimal(text.front())) return text.front() != '0' && std::ranges::all_of(text, is_decimal);
  return text.size() > longest_yaml_word && is_letter(text.front()) && std::ranges::all_of(text, is_plain);
}

}  // namespace

void append_scalar(std::string& text, std::string_view scalar) {
  if (is_plain_name(scalar))
    text += scalar;
  else
    text += yaml_scalar(scalar);
}

void put_scalar(ShortText& line, std::string& text, std::string_view scalar) {
  if (scalar.size() <= ShortText::longest_word && is_plain_name(scalar)) {
    line.put_word(scalar);
    return;
  }
  text += line.view();
  line.clear();
  append_scalar(text, scalar);
}

std::string yaml_scalar(std::string_view text) {
  constexpr std::array words{"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const bool is_word = std::find(words.begin(), words.end(), lower) != words.end();

  const bool plain_number = !text.empty() && std::all_of(text.begin(), text.end(), is_decimal) &&
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
