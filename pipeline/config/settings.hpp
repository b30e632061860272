#pragma once
/// Reads the top-level settings of a pipeline file: name, rate, objective, scheduler, deployment and others
/// besides stages.

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Expands the short forms `scheduler: x` to `scheduler: {name: x}` and `objective: x` to `objective: {name:
/// x}`, so that overrides can add keys to them.
void expand_names(YamlTree& tree);

/// Reads the settings and reports unknown keys of the top level.
void read_settings(const YamlNode& root, Pipeline& pipeline, ErrorList& errors);

/// Keys of a top-level mapping.
struct SettingKeys {
  std::string_view name;
  /// One line for users.
  std::string_view summary;
  /// True if `NAME: x` is short for `NAME: {name: x}`.
  bool has_short_form = false;
  const std::vector<ParameterSpec>& keys;
  /// Nested mappings.
  std::vector<SettingKeys> inner = {};
  /// True for a mapping from names of the user's choice to such mappings.
  bool is_by_name = false;
};

/// Returns `objective`, `scheduler`, `join` and `deployment`.
[[nodiscard]] std::vector<SettingKeys> all_setting_keys();

/// Returns the keys of the top level, for messages.
[[nodiscard]] std::string top_level_keys();

}  // namespace takt::pipeline
