#pragma once
/// Pages as SVG, for programs that run no scripts: papers, slides, printers.

#include <string>

#include "core/pictures/page.hpp"

namespace takt {

/// The pictures of the page one below the other, drawn from the same data as in the browser. One picture
/// stands alone; above several stand the page's title and facts, and above each its name.
/// O(boxes log boxes).
[[nodiscard]] std::string to_svg(const Page& page);

}  // namespace takt
