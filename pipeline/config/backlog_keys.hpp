#pragma once
/// The keys `backlog` of sources and sinks, and `transient` of sinks.

#include <filesystem>

#include "core/formats/yaml_tree.hpp"
#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// What may stand in it.
[[nodiscard]] const std::vector<ParameterSpec>& backlog_keys();

/// Reads `backlog: {policy: ...}` of a stage, where it has one; `folder` is that of relative names.
void read_backlog(const YamlNode& stage, const std::filesystem::path& folder, Draft& draft,
                  ErrorList& errors);

/// What may stand in `transient`.
[[nodiscard]] const std::vector<ParameterSpec>& transient_keys();

/// Reads `transient: {before: ...}` of a sink, where it has one; its trigger becomes the second input.
void read_transient(const YamlNode& stage, const std::filesystem::path& folder, Draft& draft,
                    ErrorList& errors);

/// Throws ConfigError at the key's place when a sink of such frames cannot remember them.
void check_transient(const Draft& draft);

/// Throws ConfigError at the key's place when so large frames cannot wait there.
void check_backlog(const Draft& draft, Bytes frame_size);

}  // namespace takt::pipeline
