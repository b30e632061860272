#pragma once
/// Text that others wrote, as a terminal may show it.

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

/// Bytes of the first character of UTF-8; 1 for a byte that begins none. The text is not empty.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Whether a terminal shows a character of utf8_length bytes as itself: no control character of ASCII or of
/// Latin-1, and UTF-8.
[[nodiscard]] bool is_plain(std::string_view character);

/// The whole text with what would steer a terminal written out: control characters, and bytes that are no
/// UTF-8, as `\x1b`.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace takt
