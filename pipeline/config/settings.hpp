#pragma once
/// What stands at the top of a pipeline file besides its stages: name, rate, objective, scheduler,
/// deployment.

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// `scheduler: x` is short for `scheduler: {name: x}`, and `objective: x` for `objective: {name: x}`; makes
/// them long, so that more can be set in them.
void expand_names(YamlTree& tree);

/// Reads the settings, and reports keys of the top level that do not exist.
void read_settings(const YamlNode& root, Pipeline& pipeline, ErrorList& errors);

/// What may stand in a mapping of the top level.
struct SettingKeys {
  std::string_view name;
  /// One line for people.
  std::string_view summary;
  /// Whether `NAME: x` is short for `NAME: {name: x}`.
  bool has_short_form = false;
  const std::vector<ParameterSpec>& keys;
  /// Mappings in it.
  std::vector<SettingKeys> inner = {};
};

/// `objective`, `scheduler`, `join` and `deployment`.
[[nodiscard]] std::vector<SettingKeys> all_setting_keys();

/// Keys of the top level, for messages.
[[nodiscard]] std::string top_level_keys();

}  // namespace takt::pipeline
