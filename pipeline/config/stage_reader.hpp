#pragma once
/// Reads the sections of stages: what each stage is, its inputs' names, its parameters.

#include <filesystem>

#include "core/formats/yaml_tree.hpp"
#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// What a user may write about a stage of a known type.
[[nodiscard]] const std::vector<ParameterSpec>& specification_of(StageKind kind, std::string_view type,
                                                                 const KernelRegistry& kernels);

/// The stages of all sections in the file's order, and every error in them. Relative input paths count from
/// `folder`; `whole` is the place of what is missing altogether. When a plug-in could not be loaded, kernels
/// are not complete, and a kernel of an unknown name is no error of its own.
[[nodiscard]] std::vector<Draft> read_stages(const YamlNode& root, const KernelRegistry& kernels,
                                             bool kernels_are_complete, const std::filesystem::path& folder,
                                             const SourceLocation& whole, ErrorList& errors);

}  // namespace takt::pipeline
