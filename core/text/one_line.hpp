#pragma once
/// Texts of others in messages.

#include <string>
#include <string_view>

namespace takt {

/// What a byte of somebody else's text becomes in a message: itself, or a blank for control characters, which
/// would break the line or steer the terminal. Safe in signal handlers.
[[nodiscard]] constexpr char blank_if_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code == 0x7f ? ' ' : c;
}
/// A text that somebody else wrote as one line for a message or a reply: every control character, also those
/// of two bytes (U+0080 to U+009F), is a blank.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace takt
