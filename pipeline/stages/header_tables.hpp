#pragma once
/// Lists the tables of header keywords of all formats that takt reads.

#include <vector>

#include "sensors/files/header_keywords.hpp"

namespace takt::pipeline {

/// `takt list keywords` prints them; each reference page contains the output of `to_markdown`, and a test
/// compares both.
[[nodiscard]] const std::vector<const sensors::HeaderKeywords*>& all_header_keywords();

}  // namespace takt::pipeline
