#pragma once
/// Reads the sections of stages: types, names of inputs, and parameters.

#include <filesystem>

#include "core/formats/yaml_tree.hpp"
#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Reports whether it consists of letters, digits, _ and -.
[[nodiscard]] bool is_name(std::string_view name);

/// Returns the parameters of a known type of stage.
[[nodiscard]] const std::vector<ParameterSpec>& specification_of(StageKind kind, std::string_view type,
                                                                 const KernelRegistry& kernels);

/// Returns the stages of all sections in the file's order and reports all errors in them. Relative input
/// paths start at `folder`; `whole` is the place of missing sections. If a plug-in could not be loaded,
/// `kernels` is not complete, and an unknown kernel is not reported.
[[nodiscard]] std::vector<Draft> read_stages(const YamlNode& root, const KernelRegistry& kernels,
                                             bool kernels_are_complete, const std::filesystem::path& folder,
                                             const SourceLocation& whole, ErrorList& errors);

}  // namespace takt::pipeline
