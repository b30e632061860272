#pragma once
/// What takt does with each field of the headers of LWA packets.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

[[nodiscard]] const HeaderKeywords& lwa_fields();

}  // namespace takt::sensors
