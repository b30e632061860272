// In the place of what build.mjs makes, where there is no node.
#include "core/pictures/page_bundle.hpp"

namespace takt {

const PageBundle& page_bundle() {
  static const PageBundle none;
  return none;
}

}  // namespace takt
