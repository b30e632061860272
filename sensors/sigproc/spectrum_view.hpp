#pragma once
/// A filterbank file as a page.

#include <string>

#include "core/pictures/page.hpp"
#include "sensors/sigproc/header.hpp"

namespace takt::sensors {

/// Its mean spectrum and its waterfall in decibels: at most 800 rows of 1,600 columns, each the mean of what
/// falls into it. Throws ConfigError when the file has no samples.
[[nodiscard]] Page spectrum_page(const std::string& name, const SigprocFile& file);

/// Which values of a filterbank file are missing, by the file of that name with `.mask` behind it
/// (SigprocOptions::mask): the share of them in each cell. Throws ConfigError where the two do not fit
/// together.
[[nodiscard]] Page mask_page(const std::string& name);

}  // namespace takt::sensors
