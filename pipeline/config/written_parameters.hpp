#pragma once
/// Converts the entries of a YAML mapping to checked parameters.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "pipeline/parameters.hpp"

namespace takt::pipeline {

/// Returns the path of a file to read. In a pipeline file it is relative to that file's directory, on the
/// command line to the working directory.
[[nodiscard]] std::string input_path(const YamlNode& node, const std::filesystem::path& folder);

/// Returns the entries other than `own_keys`, checked against the specification. Errors begin with `owner`
/// and go to `errors`; returns nothing if there was one.
[[nodiscard]] std::optional<Parameters> read_parameters(const YamlNode& map,
                                                        const std::vector<ParameterSpec>& specification,
                                                        std::span<const std::string_view> own_keys,
                                                        const std::filesystem::path& folder,
                                                        const SourceLocation& where, const std::string& owner,
                                                        ErrorList& errors);

}  // namespace takt::pipeline
