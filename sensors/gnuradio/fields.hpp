#pragma once
/// The treatment of each field of GNU Radio packet headers.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

[[nodiscard]] const HeaderKeywords& gnuradio_fields();

}  // namespace takt::sensors
