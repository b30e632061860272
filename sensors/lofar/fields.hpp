#pragma once
/// What takt does with each field of the headers of LOFAR packets.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

[[nodiscard]] const HeaderKeywords& lofar_fields();

}  // namespace takt::sensors
