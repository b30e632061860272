#pragma once
/// Pages with views: self-contained files without network or server. core/pictures/web draws them;
/// core/pictures/*_view.hpp produce the views.

#include <span>
#include <string>
#include <vector>

namespace takt {

/// One picture of a page, as JSON in the form of core/pictures/web/src/data.ts.
using View = std::string;

struct PageFact {
  std::string name, value, meaning;
};

struct Page {
  std::string title;
  /// A sentence or two below the title.
  std::string says;
  std::vector<PageFact> facts;
  std::vector<View> views;
};

/// Returns the page with the named pictures only (all if there are no names), in the page's order. Throws
/// ConfigError with the existing names for an unknown one.
[[nodiscard]] Page only_pictures(Page page, std::span<const std::string> names);

/// Returns the data of the page as JSON: `Page` of core/pictures/web/src/data.ts.
[[nodiscard]] std::string page_json(const Page& page);

/// Returns the page as HTML. A content security policy with hashes permits only its own scripts. Throws
/// WorkError if takt was built without node.
[[nodiscard]] std::string to_html(const Page& page);

/// Returns a page without data, which requests them from its server: of a running pipeline, of a growing
/// trace, or of a file that is edited.
[[nodiscard]] std::string live_page();
/// Returns the content security policy of that page, for the server's response.
[[nodiscard]] std::string live_page_policy();

}  // namespace takt
