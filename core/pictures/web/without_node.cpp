// Replaces the output of build.mjs if node is not available.
#include "core/pictures/page_bundle.hpp"

namespace takt {

const PageBundle& page_bundle() {
  static const PageBundle none;
  return none;
}

}  // namespace takt
