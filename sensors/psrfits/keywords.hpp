#pragma once
/// The keywords of PSRFITS search-mode files, in the primary header and in that of the table SUBINT.

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

/// Returns the table; numbers at the end of a name (TTYPE1) are omitted.
[[nodiscard]] const HeaderKeywords& psrfits_keywords();

}  // namespace takt::sensors
