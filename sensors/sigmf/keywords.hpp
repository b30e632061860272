#pragma once
/// The keys of SigMF metadata.
///
/// Source: "The Signal Metadata Format Specification" v1.2, schema of `core`.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

/// Returns the keys of `global` by name, others after their object's name: `captures core:frequency`.
[[nodiscard]] const HeaderKeywords& sigmf_keywords();

}  // namespace takt::sensors
