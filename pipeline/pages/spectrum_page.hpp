#pragma once
/// Pages that display a filterbank file.

#include <string>

#include "core/pictures/page.hpp"
#include "sensors/sigproc/header.hpp"

namespace takt::pipeline {

/// Returns a page with the mean spectrum and the waterfall in decibels: at most 800 rows of 1,600 columns,
/// each the mean of its samples and channels. Throws ConfigError if the file has no samples.
[[nodiscard]] Page spectrum_page(const std::string& name, const sensors::SigprocFile& file);

/// Returns a page with the share of missing values in each cell of a filterbank file, from its mask
/// file with the suffix `.mask` (SigprocOptions::mask). Throws ConfigError if the two files do not
/// match.
[[nodiscard]] Page mask_page(const std::string& name);

}  // namespace takt::pipeline
