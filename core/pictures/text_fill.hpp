#pragma once
/// Line filling of text for display.

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

/// The width of all reports, unless their contents need more.
inline constexpr std::size_t text_columns = 80;

/// A blank at which no line is broken.
inline constexpr std::string_view no_break = "\u00a0";
/// Replaces non-breaking blanks by plain ones.
[[nodiscard]] std::string plain_blanks(std::string text);

/// Fills lines of at most `width` characters, every line but the first after `indent` blanks. Lines that
/// begin with a blank are unchanged, and longer words stay whole.
[[nodiscard]] std::string fill(std::string_view text, std::size_t width, std::size_t indent = 0);

/// Returns a line of a report: a title, followed by the filled text. Without a title it continues the
/// previous one.
[[nodiscard]] std::string titled(std::string_view title, std::string_view text);

/// Shortens to at most this many characters from its beginning and its end, with an ellipsis between: ends
/// distinguish names as often as beginnings.
[[nodiscard]] std::string cut_in_the_middle(std::string_view text, std::size_t letters);

/// Returns the characters on the screen: all UTF-8 bytes but the continuation bytes.
[[nodiscard]] std::size_t letters_of(std::string_view text);

}  // namespace takt
