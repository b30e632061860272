#pragma once
/// Saves the measured costs of a pipeline, with a description of the measured stages.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

/// Returns the scripts, tables and other files that kernels read, sorted. Their contents may affect costs.
[[nodiscard]] std::vector<std::string> files_of_kernels(const Pipeline& pipeline);

/// Returns YAML with the times by stage name, a description of each stage (its parameters and frame types),
/// the processor model, and digests of plug-ins.
[[nodiscard]] std::string profile_to_yaml(const std::vector<StageCost>& costs, const Pipeline& pipeline);

/// Throws ConfigError when a stage of the pipeline is missing or differs from the measured one. The
/// descriptions are optional in hand-written files.
[[nodiscard]] std::vector<StageCost> read_profile(const std::filesystem::path& file,
                                                  const Pipeline& pipeline);

/// Returns reasons why the costs may not apply to this run although the pipeline is the same: another
/// processor, or a plug-in that was replaced or rebuilt. Throws ConfigError if the file is not YAML.
[[nodiscard]] std::vector<std::string> doubts_of_profile(const std::filesystem::path& file,
                                                         const Pipeline& pipeline);

}  // namespace takt::pipeline
