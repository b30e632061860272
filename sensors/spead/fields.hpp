#pragma once
/// The treatment of each field of SPEAD packet headers.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

[[nodiscard]] const HeaderKeywords& spead_fields();

}  // namespace takt::sensors
