#pragma once
/// The treatment of each field of LOFAR packet headers.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

[[nodiscard]] const HeaderKeywords& lofar_fields();

}  // namespace takt::sensors
