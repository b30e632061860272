#pragma once
/// Reads the keys `backlog` of sources and sinks, and `transient` of sinks.

#include <filesystem>

#include "core/formats/yaml_tree.hpp"
#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Returns the keys of `backlog`.
[[nodiscard]] const std::vector<ParameterSpec>& backlog_keys();

/// Reads `backlog: {policy: ...}` of a stage, if present; relative names start at `folder`.
void read_backlog(const YamlNode& stage, const std::filesystem::path& folder, Draft& draft,
                  ErrorList& errors);

/// Returns the keys of `transient`.
[[nodiscard]] const std::vector<ParameterSpec>& transient_keys();

/// Reads `transient: {before: ...}` of a sink, if present; its trigger becomes the second input.
void read_transient(const YamlNode& stage, const std::filesystem::path& folder, Draft& draft,
                    ErrorList& errors);

/// Throws ConfigError at the key's place when a sink of such frames does not support transient buffers.
void check_transient(const Draft& draft);

/// Throws ConfigError at the key's place when frames of this size exceed the backlog.
void check_backlog(const Draft& draft, Bytes frame_size);

}  // namespace takt::pipeline
