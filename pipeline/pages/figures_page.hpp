#pragma once
/// Shows figures written by takt (reports, comparisons, profiles, ...) as a page.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// Shows everything as facts and tables (core/pictures/document_page.hpp), below plots of known
/// documents: the report of a run (time of ranks; planned and measured times of tasks), of takt sustain
/// (offered and sustained rates), and a comparison (means by scheduler). Other JSON or YAML has no
/// plots.
[[nodiscard]] Page figures_page(const std::string& name, const nlohmann::ordered_json& document);

}  // namespace takt::pipeline
