#pragma once
/// Figures that takt has written (reports, comparisons, profiles, ...) as a page.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// All of it as facts and tables (core/pictures/document_page.hpp), below pictures of what is known: the
/// report of a run (what ranks' time went into; planned and measured times of tasks), of takt sustain
/// (offered and sustained rates), a comparison (means by scheduler). What else is JSON or YAML has none of
/// these.
[[nodiscard]] Page figures_page(const std::string& name, const nlohmann::ordered_json& document);

}  // namespace takt::pipeline
