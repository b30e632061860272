#pragma once
/// What takt does with each field of the headers of SPEAD packets.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

[[nodiscard]] const HeaderKeywords& spead_fields();

}  // namespace takt::sensors
