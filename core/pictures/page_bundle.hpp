#pragma once
/// Script and style of the pages that show views (core/pictures/web), as the build has bundled them.

#include <string_view>

namespace takt {

struct PageBundle {
  /// Empty where the build had no node.
  std::string_view script;
  /// For a content security policy: `sha256-...`.
  std::string_view script_hash;
  std::string_view style;
  std::string_view style_hash;
};

/// Made by core/pictures/web/build.mjs; core/pictures/web/without_node.cpp otherwise.
[[nodiscard]] const PageBundle& page_bundle();

}  // namespace takt
