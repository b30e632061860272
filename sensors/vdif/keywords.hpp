#pragma once
/// The fields of VDIF headers.

#include <string>
#include <vector>

#include "sensors/files/header_keywords.hpp"
#include "sensors/vdif/header.hpp"

namespace takt::sensors {

/// Returns all fields of release 1.1.1, and of the extended data versions 0 to 4.
[[nodiscard]] const HeaderKeywords& vdif_keywords();

/// Returns the carried fields of a header, `FIELD: value` each.
[[nodiscard]] std::vector<std::string> description_of(const VdifHeader& header);

}  // namespace takt::sensors
