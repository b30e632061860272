#pragma once
/// What stands at the top of a pipeline file besides its stages: name, rate, objective, scheduler,
/// deployment.

#include "pipeline/config/pipeline.hpp"
#include "pipeline/config/yaml_tree.hpp"

namespace takt::pipeline {

/// `scheduler: x` is short for `scheduler: {name: x}`, and `objective: x` for `objective: {name: x}`; makes
/// them long, so that more can be set in them.
void expand_names(YamlNode& root);

/// Reads the settings, and reports keys of the top level that do not exist.
void read_settings(const YamlNode& root, Pipeline& pipeline, ErrorList& errors);

/// Keys of the top level, for messages.
[[nodiscard]] std::string top_level_keys();

}  // namespace takt::pipeline
