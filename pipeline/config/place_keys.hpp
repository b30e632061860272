#pragma once
/// Reads the key `place` of sources, tasks and sinks.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Returns the keys of `place`.
[[nodiscard]] const std::vector<ParameterSpec>& place_keys();

/// Returns the number, from 0 on, that a text key holds; nothing for an empty text. Throws ConfigError with
/// what is expected.
[[nodiscard]] std::optional<std::size_t> number_of(const Parameters& values, std::string_view key,
                                                   std::string_view expected);

/// Reads `place: {host: node1, core: 3}` of a stage, if present.
void read_place(const YamlNode& stage, const std::filesystem::path& folder, Draft& draft, ErrorList& errors);

}  // namespace takt::pipeline
