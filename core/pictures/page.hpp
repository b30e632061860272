#pragma once
/// Pages that show views: one file that needs nothing else, no network, no server. What they show is drawn by
/// core/pictures/web; what there is to show are the views of core/pictures/*_view.hpp.

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

/// The page with the pictures of these names only (all of them where there are no names), in its order.
/// Throws ConfigError with the names that there are where there is no such picture.
[[nodiscard]] Page only_pictures(Page page, std::span<const std::string> names);

/// The page as HTML. Scripts other than its own do not run in it (a content security policy by hashes).
/// Throws WorkError where takt was built without node, and says so.
[[nodiscard]] std::string to_html(const Page& page);

/// The page of a running pipeline, which asks its server for data.
[[nodiscard]] std::string live_page();
/// The content security policy of that page, for the server to send.
[[nodiscard]] std::string live_page_policy();

}  // namespace takt
