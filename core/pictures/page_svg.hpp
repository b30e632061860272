#pragma once
/// SVG rendering of pages, for papers, slides and printers.

#include <string>

#include "core/pictures/page.hpp"

namespace takt {

/// Draws the pictures of the page below each other, from the same data as in the browser. Several pictures
/// are preceded by the page's title and facts, and each by its name; a single picture has none. O(boxes log
/// boxes).
[[nodiscard]] std::string to_svg(const Page& page);

}  // namespace takt
