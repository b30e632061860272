#pragma once
/// Reads the key `place` of sources, tasks and sinks.

#include <filesystem>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Returns the keys of `place`.
[[nodiscard]] const std::vector<ParameterSpec>& place_keys();

/// Reads `place: {host: node1, core: 3}` of a stage, if present.
void read_place(const YamlNode& stage, const std::filesystem::path& folder, Draft& draft, ErrorList& errors);

}  // namespace takt::pipeline
