#pragma once
/// The treatment of each field of LWA packet headers.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

[[nodiscard]] const HeaderKeywords& lwa_fields();

}  // namespace takt::sensors
