#pragma once
/// Reads the sections of stages: what each stage is, its inputs' names, its parameters.

#include <filesystem>

#include "pipeline/config/draft.hpp"
#include "pipeline/config/yaml_tree.hpp"

namespace takt::pipeline {

/// The stages of all sections in the file's order, and every error in them. Relative input paths count from
/// `folder`; `whole` is the place of what is missing altogether.
[[nodiscard]] std::vector<Draft> read_stages(const YamlNode& root, const KernelRegistry& kernels,
                                             const std::filesystem::path& folder, const SourceLocation& whole,
                                             ErrorList& errors);

}  // namespace takt::pipeline
