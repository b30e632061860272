#pragma once
/// The keywords of PSRDADA headers.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

/// PSRDADA defines few keywords; the table also has those added by common recorders.
[[nodiscard]] const HeaderKeywords& dada_keywords();

}  // namespace takt::sensors
