#pragma once
/// Escaping of external text for terminals.

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

/// Returns the bytes of the first UTF-8 character; 1 for an invalid byte. The text is not empty.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Reports whether a character of utf8_length bytes is printable: valid UTF-8, and no control character of
/// ASCII or Latin-1.
[[nodiscard]] bool is_plain(std::string_view character);

/// Returns the text with control characters and invalid UTF-8 escaped as
/// `\x1b`.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace takt
