#pragma once
/// Self-contained HTML pages: no network, no fonts, no external scripts; readable on light and dark
/// screens.

#include <cstdint>
#include <string>
#include <string_view>

namespace takt {

/// Escapes a text for HTML or SVG.
[[nodiscard]] std::string escape_markup(std::string_view text);

/// `of_contents`: the contents keep their width, and scroll if the page is narrower.
enum class CardWidth : std::uint8_t { column, page, of_contents };

/// Returns a part of a page with a heading and a sentence about its content.
[[nodiscard]] std::string html_card(std::string_view title, std::string_view says, const std::string& content,
                                    CardWidth width = CardWidth::column);

/// Returns a whole page around a body. Its style supports `.cards` (a grid of cards), the tables of
/// TextTable::to_html, and the drawings of core/pictures/picture.hpp.
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body);

}  // namespace takt
