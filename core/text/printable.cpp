#include "core/text/printable.hpp"

#include <fmt/format.h>

namespace takt {

std::size_t utf8_length(std::string_view text) {
  const auto code = static_cast<unsigned char>(text.front());
  const std::size_t length = code >= 0xf0 && code < 0xf5 ? 4 : code >= 0xe0 ? 3 : code >= 0xc2 ? 2 : 1;
  if (code >= 0xf5 || text.size() < length) return 1;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  return length;
}

bool is_plain(std::string_view character) {
  const auto code = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return code >= 0x20 && code < 0x7f;
  return code != 0xc2 || static_cast<unsigned char>(character[1]) >= 0xa0;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, utf8_length(text));
    if (is_plain(character))
      shown += character;
    else
      for (const char byte : character) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace takt
