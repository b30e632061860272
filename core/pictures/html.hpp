#pragma once
/// Pages that need nothing else: no network, no fonts, no scripts of others; readable on light and dark
/// screens.

#include <cstdint>
#include <string>
#include <string_view>

namespace takt {

/// A text inside HTML or SVG.
[[nodiscard]] std::string escape_markup(std::string_view text);

/// `of_contents`: the contents keep their width, and scroll where the page is narrower.
enum class CardWidth : std::uint8_t { column, page, of_contents };

/// A part of a page with a heading and a sentence about what it shows.
[[nodiscard]] std::string html_card(std::string_view title, std::string_view says, const std::string& content,
                                    CardWidth width = CardWidth::column);

/// A whole page around a body. Its style knows `.cards` (a grid of cards), tables as TextTable::to_html
/// writes them, and what core/pictures/picture.hpp draws.
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body);

}  // namespace takt
