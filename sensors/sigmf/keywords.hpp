#pragma once
/// The keys of SigMF metadata.
///
/// Source: "The Signal Metadata Format Specification" v1.2, schema of `core`.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

/// Keys of `global` by their names, those of other objects after the object's: `captures core:frequency`.
[[nodiscard]] const HeaderKeywords& sigmf_keywords();

}  // namespace takt::sensors
