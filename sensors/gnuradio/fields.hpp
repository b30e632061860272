#pragma once
/// What takt does with each field of the headers of GNU Radio packets.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

[[nodiscard]] const HeaderKeywords& gnuradio_fields();

}  // namespace takt::sensors
