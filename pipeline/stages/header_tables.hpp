#pragma once
/// The table of keywords of every format that takt reads.

#include <vector>

#include "sensors/files/header_keywords.hpp"

namespace takt::pipeline {

/// `takt list keywords` shows them; each stands in its reference page as `to_markdown` writes it, and a test
/// compares.
[[nodiscard]] const std::vector<const sensors::HeaderKeywords*>& all_header_keywords();

}  // namespace takt::pipeline
