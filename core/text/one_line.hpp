#pragma once
/// External texts as single lines for messages.

#include <string>
#include <string_view>

namespace takt {

/// Returns a byte of an external text for a message: itself, or a blank for control characters, which would
/// break the line or control the terminal. Safe in signal handlers.
[[nodiscard]] constexpr char blank_if_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code == 0x7f ? ' ' : c;
}
/// Returns an external text as one line for a message or a reply: every control character, also those of two
/// bytes (U+0080 to U+009F), becomes a blank.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace takt
