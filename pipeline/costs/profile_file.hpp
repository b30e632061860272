#pragma once
/// Measured costs of a pipeline, kept in a file with what they are costs of.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

/// Scripts, tables and other files that kernels read; sorted. What is in them may change what a frame takes.
[[nodiscard]] std::vector<std::string> files_of_kernels(const Pipeline& pipeline);

/// As YAML: times by the stage's name, what each stage was (its parameters and the types of its frames), the
/// kind of processor, and digests of plug-ins.
[[nodiscard]] std::string profile_to_yaml(const std::vector<StageCost>& costs, const Pipeline& pipeline);

/// Throws ConfigError when a stage of the pipeline is missing, or is another one than was measured. A file
/// that was written by hand need not say what was measured.
[[nodiscard]] std::vector<StageCost> read_profile(const std::filesystem::path& file,
                                                  const Pipeline& pipeline);

/// Why costs of such a file may not be those of this run though the pipeline is the same: another processor,
/// a plug-in that was built again, or is another one. Throws ConfigError where it is not YAML.
[[nodiscard]] std::vector<std::string> doubts_of_profile(const std::filesystem::path& file,
                                                         const Pipeline& pipeline);

}  // namespace takt::pipeline
