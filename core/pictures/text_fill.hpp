#pragma once
/// Text for people in lines of a width.

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

/// What every report keeps to where its contents allow it.
inline constexpr std::size_t text_columns = 80;

/// A blank at which no line is broken.
inline constexpr std::string_view no_break = "\u00a0";
/// The text with plain blanks in the place of those.
[[nodiscard]] std::string plain_blanks(std::string text);

/// The text in lines of at most `width` letters, every line but the first behind `indent` blanks. Lines that
/// begin with a blank stay as they are, and words that are longer stay whole.
[[nodiscard]] std::string fill(std::string_view text, std::size_t width, std::size_t indent = 0);

/// A line of a report: a title, and beside it the text, filled. Without a title it goes on with the one
/// above.
[[nodiscard]] std::string titled(std::string_view title, std::string_view text);

/// So many letters of its beginning and its end at most, with an ellipsis between: ends tell names apart as
/// often as beginnings.
[[nodiscard]] std::string cut_in_the_middle(std::string_view text, std::size_t letters);

/// Letters on the screen: of UTF-8, all but the continuation bytes.
[[nodiscard]] std::size_t letters_of(std::string_view text);

}  // namespace takt
